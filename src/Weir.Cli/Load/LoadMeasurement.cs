using System.Globalization;
using Spectre.Console;
using Weir.Cli.Terminal;

namespace Weir.Cli.Load;

/// <summary>One <c>weir load</c> from its options to its exit code.</summary>
/// <param name="options">What is sent.</param>
/// <param name="assertions">What the report must keep.</param>
/// <param name="json">One JSON object instead of tables.</param>
/// <param name="console">Where it is shown.</param>
internal sealed class LoadMeasurement(LoadOptions options, IReadOnlyList<Assertion> assertions, bool json, CommandConsole console)
{
    /// <summary>Sends the requests: <see cref="LoadTest.RunAsync"/>, or a test's own.</summary>
    public Func<LoadOptions, IProgress<LoadProgress>?, CancellationToken, Task<LoadReport>> Measure { get; init; } = LoadTest.RunAsync;

    /// <param name="interrupted">Fires on Ctrl-C.</param>
    /// <exception cref="InputException">No connection can be opened.</exception>
    public async Task<int> RunAsync(CancellationToken interrupted)
    {
        LoadReport report;
        try
        {
            report = await MeasureAsync(interrupted);
        }
        catch (HttpRequestException failure)
        {
            throw new InputException($"{options.Address} cannot be reached: {failure.Message}", failure);
        }
        catch (OperationCanceledException) when (interrupted.IsCancellationRequested)
        {
            await console.Error.WriteLineAsync("weir: interrupted; a test that is ended early has no figures");
            return ExitCodes.Interrupted;
        }

        if (json)
        {
            await console.Out.WriteLineAsync(LoadJson.Text(options, report, assertions));
        }
        else
        {
            new LoadTables(options, report).Print(console.OutputDisplay());
        }

        return await JudgeAsync(report);
    }

    private async Task<LoadReport> MeasureAsync(CancellationToken interrupted)
    {
        if (!console.IsErrorTerminal)
        {
            return await Measure(options, null, interrupted);
        }

        LoadReport? report = null;
        await console.ErrorDisplay().Live(Text.Empty).AutoClear(true).StartAsync(async live =>
            report = await Measure(options, new LoadProgressLine(options, text => live.UpdateTarget(new Text(text))), interrupted));
        return report!;
    }

    private async Task<int> JudgeAsync(LoadReport report)
    {
        var exitCode = ExitCodes.Success;
        if (report.IsGeneratorLate)
        {
            await console.Error.WriteLineAsync($"weir: the generator was late by {Durations.Milliseconds(report.Lateness.P99)} at p99: these figures describe the generator, not the server. Lower --rate, or run it where more processors are free.");
        }

        foreach (var assertion in assertions)
        {
            if (assertion.Refute(report) is { } reason)
            {
                await console.Error.WriteLineAsync($"weir: --assert '{assertion.Text}' does not hold: {reason}");
                exitCode = ExitCodes.Failure;
            }
        }

        if (report.Errors == report.Requests)
        {
            await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir: none of {report.Requests} requests succeeded: {string.Join(", ", report.ErrorsByKind.Select(static kind => $"{kind.Value} × {kind.Key}"))}"));
            exitCode = ExitCodes.Failure;
        }

        return exitCode;
    }
}
