using System.Globalization;
using Weir.Lab.Isolation;

namespace Weir.Lab.Processes;

/// <summary>Asks a contender at a fixed rate, from a process of its own that goes before others. One load at a time.</summary>
internal sealed class OpenLoadProcess : IAsyncDisposable
{
    private readonly ContenderProcess _generator;

    private OpenLoadProcess(ContenderProcess generator) => _generator = generator;

    public static async Task<OpenLoadProcess> StartAsync(CancellationToken cancellation) =>
        new(await ContenderProcess.StartAsync(ProgramLaunch.OfLab("load"), cancellation));

    /// <param name="contender">Whom to ask.</param>
    /// <param name="path">What.</param>
    /// <param name="connections">Over how many connections.</param>
    /// <param name="rate">Requests per second.</param>
    /// <param name="duration">For how long.</param>
    /// <param name="patience">How long the last ones may take after that.</param>
    /// <param name="cancellation">Ends the generator.</param>
    public async Task<OpenLoadResult> AskAsync(
        ContenderProcess contender, string path, int connections, double rate, TimeSpan duration, TimeSpan patience, CancellationToken cancellation)
    {
        var line = await _generator.AskAsync(
            new ControlLine("load")
                .With("port", Served.EndPoint(contender).Port.ToString(CultureInfo.InvariantCulture))
                .With("path", path)
                .With("connections", connections)
                .With("rate", rate)
                .With("seconds", duration.TotalSeconds)
                .With("patience", patience.TotalSeconds),
            cancellation);
        return new OpenLoadResult(
            line.Number("p50"), line.Number("p90"), line.Number("p99"), line.Number("max"), line.Number("wait"), line.Number("late"),
            (long)line.Number("completed"), (long)line.Number("errors"), line.Number("cpu"));
    }

    public ValueTask DisposeAsync() => _generator.DisposeAsync();
}
