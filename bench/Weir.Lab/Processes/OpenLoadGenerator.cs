using System.Globalization;
using Weir.Lab.Isolation;

namespace Weir.Lab.Processes;

/// <summary>Asks a contender at a fixed rate, from a process of its own that goes before others. One load at a time.</summary>
/// <param name="shared">Where that process stays for the next load, and ends. Its code is compiled during the first load, and later ones do not wait for that.</param>
internal sealed class OpenLoadGenerator(SharedProcesses shared)
{
    private const string Name = "load generator";

    private static readonly ProgramLaunch Launch = ProgramLaunch.OfLab("load");

    /// <summary>Starts the process, so that the first load does not wait for it.</summary>
    public Task StartAsync(CancellationToken cancellation) => shared.EnterAsync(Name, Launch, cancellation);

    /// <param name="contender">Whom to ask.</param>
    /// <param name="path">What.</param>
    /// <param name="connections">Over how many connections.</param>
    /// <param name="rate">Requests per second.</param>
    /// <param name="duration">For how long.</param>
    /// <param name="patience">How long the last ones may take after that.</param>
    /// <param name="cancellation">Ends the process.</param>
    public async Task<OpenLoadResult> AskAsync(
        ContenderProcess contender, string path, int connections, double rate, TimeSpan duration, TimeSpan patience, CancellationToken cancellation)
    {
        var generator = await shared.EnterAsync(Name, Launch, cancellation);
        ControlLine line;
        try
        {
            line = await generator.AskAsync(
                new ControlLine("load")
                    .With("port", Served.EndPoint(contender).Port.ToString(CultureInfo.InvariantCulture))
                    .With("path", path)
                    .With("connections", connections)
                    .With("rate", rate)
                    .With("seconds", duration.TotalSeconds)
                    .With("patience", patience.TotalSeconds),
                cancellation);
        }
        catch
        {
            // What it would still say is not the answer to the next load.
            await shared.EndAsync(Name, Launch);
            throw;
        }

        return new OpenLoadResult(
            line.Number("p50"), line.Number("p90"), line.Number("p99"), line.Number("max"), line.Number("wait"), line.Number("late"),
            (long)line.Number("completed"), (long)line.Number("errors"), line.Number("cpu"));
    }
}
