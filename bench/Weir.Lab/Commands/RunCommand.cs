using System.CommandLine;
using Spectre.Console;
using Weir.Lab.Engine;
using Weir.Lab.Experiments;
using Weir.Lab.Measuring;
using Weir.Lab.Reporting;

namespace Weir.Lab.Commands;

/// <summary><c>lab run NAME… | all</c>: exit code 0 when every promise holds and no contender failed.</summary>
internal static class RunCommand
{
    public static Command Create()
    {
        var names = new Argument<string[]>("names") { Description = "Experiments, or 'all'.", Arity = ArgumentArity.OneOrMore };
        names.Validators.Add(result =>
        {
            foreach (var name in AllExperiments.Unknown(result.Tokens.Select(token => token.Value)))
                result.AddError($"There is no experiment '{name}'; 'lab list' names them all.");
        });
        var quick = new Option<bool>("--quick") { Description = "Small sizes, one round, and three where a ratio is promised: all within twelve minutes." };
        var tiny = new Option<bool>("--tiny") { Description = "The smallest sizes: shows that everything runs; the figures mean nothing.", Hidden = true };
        var only = new Option<string[]>("--only")
        {
            Description = "Only contenders of these names; promises about others are not decided.",
            AllowMultipleArgumentsPerToken = true,
        };
        var json = new Option<FileInfo?>("--json") { Description = "Writes the run to this file as JSON." };
        var html = new Option<FileInfo?>("--html") { Description = "Writes the run to this file as one page with charts." };
        var command = new Command("run", "Runs experiments and prints their tables.") { names, quick, tiny, only, json, html };
        command.SetAction((parsed, cancellation) =>
        {
            var scale = parsed.GetValue(tiny) ? Scale.Tiny : parsed.GetValue(quick) ? Scale.Quick : Scale.Full;
            return RunAsync(parsed.GetRequiredValue(names), scale, parsed.GetValue(only) ?? [], new RunOutput(parsed.GetValue(json), parsed.GetValue(html)), cancellation);
        });
        return command;
    }

    private static async Task<int> RunAsync(string[] names, Scale scale, string[] only, RunOutput output, CancellationToken cancellation)
    {
        var experiments = AllExperiments.Named(names);
        var time = TimeProvider.System;
        var report = new RunReport
        {
            Machine = Machine.Here(),
            Commit = Commit.Here(),
            Command = $"lab run {string.Join(' ', names)}{(scale == Scale.Full ? "" : $" --{scale.ToString().ToLowerInvariant()}")}{(only.Length == 0 ? "" : $" --only {string.Join(' ', only)}")}",
            Scale = scale.ToString().ToLowerInvariant(),
            Started = time.GetUtcNow(),
            Resolution = await new ResolutionProbe(scale).MeasureAsync(cancellation),
            Experiments = [],
        };
        var console = LabConsole.Create();
        var tables = new ConsoleReport(console);
        console.WriteLine(RunHead.Text(report));

        var forecast = new RunForecast(time, [.. experiments.Select(experiment => (experiment.Name, experiment.Estimate(scale)))]);
        var progress = new RunProgress(console, forecast, result =>
        {
            var ended = ExperimentReport.Of(result, report.Resolution);
            report = report with { Experiments = [.. report.Experiments, ended] };
            tables.Print(ended);
            output.Write(report);
        });

        await ShownAsync(console, progress, async () =>
        {
            var run = new ExperimentRun(time, progress, scale) { Only = only };
            foreach (var experiment in experiments)
                await run.RunAsync(experiment, cancellation);
        });
        report = report.At(await new ResolutionProbe(scale).MeasureAsync(cancellation)) with { LoadAfter = Machine.Load() };
        output.Write(report);
        tables.PrintVerdict(report);
        return report.Experiments.All(experiment => experiment.Failed.Count == 0 && experiment.Promises.All(promise => promise.Holds)) ? 0 : 1;
    }

    private static Task ShownAsync(IAnsiConsole console, RunProgress progress, Func<Task> run)
    {
        if (!console.Profile.Capabilities.Interactive)
            return run();

        return console.Status().StartAsync("starting", status =>
        {
            progress.Status = status;
            return run();
        });
    }
}
