// SPDX-License-Identifier: Apache-2.0
#include "tune/space.h"

#include "tir/text.h"

namespace lathe::tune {

Candidate candidateOf(const tir::PrimFuncPtr& scheduled, schedule::ScheduleTrace trace,
                      std::vector<schedule::Question> questions, const schedule::Chooser& chooser) {
    Candidate made;
    tir::PrintOptions options;
    options.origins = options.names = false; // those of the model that the kernel is of
    const std::string text = tir::print(*scheduled, options);
    made.program = hashBytes(std::as_bytes(std::span(text)));
    for (const schedule::Question& question : questions)
        made.answers[question.name] = chooser.answer(question);
    made.questions = std::move(questions);
    made.trace = std::move(trace);
    made.scheduled = scheduled;
    return made;
}

} // namespace lathe::tune
