// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_outcome.h"

#include "app/export_choices.h"
#include "views/models/text/shown_path.h"

namespace lathe::app {

views::models::ExportPlan planOf(const deploy::PlannedBundle& bundle, const std::vector<Diagnostic>& warnings) {
    views::models::ExportPlan plan;
    for (const deploy::ManifestFile& file : bundle.manifest.files)
        plan.files.append({QString::fromStdString(file.path), QString::fromStdString(file.kind), qint64(file.bytes)});
    plan.bytes = qint64(bundle.plan.bytes);
    for (const std::string& remark : bundle.plan.remarks)
        plan.remarks << QString::fromStdString(remark);
    for (const Diagnostic& warning : warnings)
        plan.remarks << withHint(warning);
    return plan;
}

views::models::ExportEnd endOf(const ExportedBundle& exported) {
    views::models::ExportEnd end;
    end.out = views::models::absolutePath(exported.out);
    end.id = exported.id;
    end.bytes = qint64(exported.bytes);
    end.checked = exported.check.has_value();
    if (!exported.check)
        return end;
    const deploy::BundleCheck& check = *exported.check;
    end.good = check.good;
    end.variant = QString::fromStdString(check.variant);
    for (const deploy::VariantCheck& each : check.variants)
        end.targets.append({QString::fromStdString(each.tag), QString::fromUtf8(toString(each.outcome)),
                            QString::fromStdString(each.why)});
    end.threads = check.threads;
    end.cases = check.cases;
    end.loadMs = check.loadMs;
    end.firstMs = check.firstMs;
    end.p50Ms = check.p50Ms;
    end.p90Ms = check.p90Ms;
    end.p99Ms = check.p99Ms;
    end.residentBytes = check.residentBytes;
    for (const Diagnostic& problem : check.problems)
        end.problems << withHint(problem);
    for (const deploy::CheckStep& step : check.steps)
        if (!step.good)
            end.problems << QStringLiteral("%1: %2").arg(QString::fromStdString(step.name),
                                                         QString::fromStdString(step.text));
    return end;
}

views::models::ExportEnd endOf(const Diagnostic& problem) {
    views::models::ExportEnd end;
    end.good = false;
    end.problems << withHint(problem);
    return end;
}

views::models::BundleFindings findingsOf(const ComparedBundles& compared) {
    views::models::BundleFindings findings{
        QString::fromStdString(compared.beforeId), QString::fromStdString(compared.afterId), {}};
    for (const deploy::BundleChange& change : compared.changes)
        findings.changes.append({QString::fromStdString(change.what + (change.name.empty() ? "" : " ") + change.name),
                                 QString::fromStdString(change.before), QString::fromStdString(change.after)});
    return findings;
}

} // namespace lathe::app
