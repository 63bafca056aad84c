// SPDX-License-Identifier: Apache-2.0
//
// Options that several commands have in common, by what a command does with them: each takes those that it uses and no others,
// for an option that means nothing is a wish that silently does not come true.
#pragma once

#include "app/cli/commands.h"

#include <CLI/CLI.hpp>
#include <array>
#include <span>

namespace lathe::cli {

/// The type of an option that takes a device, for completion.
inline constexpr const char* deviceType = "DEVICE";
/// Values of a closed set, "relay|tir": what --help shows and shells complete. Whether one is of it, the command says.
CLI::Option* oneOf(CLI::Option* option, const std::string& values);
/// Of these one at most may be given.
void excludeEachOther(std::span<CLI::Option* const> options);

/// What --target takes.
extern const char* const targetText;

/// Of what only a compilation heeds: that it is given is kept in `common`, for what may meet an artifact to refuse it.
CLI::Option* ofCompiling(CLI::Option* option, Common& common);

/// Of every command: --json and --quiet.
void addPrinting(CLI::App& command, Common& common);
/// Of what takes a while and says how far it is.
void addProgress(CLI::App& command, Common& common);
void addTarget(CLI::App& command, Common& common);
void addThreads(CLI::App& command, Common& common,
                const std::string& text = "threads to compile and run with (0: all)");
void addNumerics(CLI::App& command, Common& common);
void addShapes(CLI::App& command, Common& common);
void addCut(CLI::App& command, Common& common);
void addCacheless(CLI::App& command, Common& common);
/// --plugin and --without-plugin.
void addPlugins(CLI::App& command, Common& common);
/// Of what compiles a model, but --target, of which some take several: all of the above but progress, and how it is compiled.
void addCompiling(CLI::App& command, Common& common);
/// Schedules that were recorded, for what compiles a model to use them.
void addTuned(CLI::App& command, Common& common);
void addDevice(CLI::App& command, std::string& device);
/// How what is computed is held against what is expected, of which `what` says what it is.
CLI::Option* addTolerance(CLI::App& command, std::string& tolerance, const std::string& what);
/// --input alone, for what takes no folder or several.
CLI::Option* addInputFiles(CLI::App& command, std::vector<std::string>& files);
/// --input and --data, of what runs a model.
std::array<CLI::Option*, 2> addInputs(CLI::App& command, InputArgs& inputs);
/// Of what runs one model: itself, of which `modelText` says what it may be, its inputs, and how it is compiled and run.
void addRunning(CLI::App& command, RunArgs& args, Common& common, const std::string& modelText);

} // namespace lathe::cli
