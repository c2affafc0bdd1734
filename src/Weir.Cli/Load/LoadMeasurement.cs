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
    /// <summary>Sends the requests until they are sent, or until the token fires: the load test, or a test's own.</summary>
    public Func<LoadOptions, IProgress<LoadProgress>?, CancellationToken, Task<LoadReport>> Measure { get; init; } =
        static (options, progress, stopping) => LoadTest.RunAsync(options, progress, stopping, CancellationToken.None);

    /// <param name="interrupted">Fires on Ctrl-C: the figures are those until then.</param>
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
            var why = failure.Message.Replace($"set {nameof(LoadOptions.AcceptsAnyCertificate)}", "give --insecure", StringComparison.Ordinal);
            throw new InputException($"{options.Address} cannot be reached: {why}", failure);
        }
        catch (OperationCanceledException) when (interrupted.IsCancellationRequested)
        {
            await console.Error.WriteLineAsync("weir: interrupted before the first request was sent; there are no figures");
            return ExitCodes.Interrupted;
        }

        if (report.IsStopped)
        {
            // Before the figures: their reader may be slow.
            await console.Error.WriteLineAsync(Interruption(report));
        }

        if (json)
        {
            await console.Out.WriteLineAsync(LoadJson.Text(options, report, assertions));
        }
        else
        {
            new LoadTables(options, report).Print(console.OutputDisplay());
        }

        await WarnAsync(report);
        return report.IsStopped ? ExitCodes.Interrupted : await JudgeAsync(report);
    }

    private string Interruption(LoadReport report) => string.Create(
        CultureInfo.InvariantCulture,
        $"weir: interrupted after {report.Seconds:0.0} s: the figures are those until then, without {report.Unfinished} {(report.Unfinished == 1 ? "request" : "requests")} that had not ended{(assertions.Count > 0 ? "; no assertion is judged" : "")}");

    private async Task<LoadReport> MeasureAsync(CancellationToken interrupted)
    {
        if (!console.IsErrorTerminal)
        {
            return await Measure(options, null, interrupted);
        }

        LoadReport? report = null;
        var display = console.ErrorDisplay();
        await display.Live(Text.Empty).AutoClear(true).StartAsync(async live =>
            report = await Measure(options, new LoadProgressLine(options, () => display.Profile.Width, text => live.UpdateTarget(new Text(text))), interrupted));
        return report!;
    }

    private async Task WarnAsync(LoadReport report)
    {
        if (report.IsGeneratorLate)
        {
            await console.Error.WriteLineAsync($"weir: the generator was late by {Durations.Milliseconds(report.Lateness.P99)} at p99: these figures describe the generator, not the server. Lower --rate, or run it where more processors are free.");
        }
    }

    private async Task<int> JudgeAsync(LoadReport report)
    {
        var exitCode = ExitCodes.Success;
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
