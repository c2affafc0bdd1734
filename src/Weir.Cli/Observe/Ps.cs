using Weir.Cli.Answers;
using Weir.Cli.Terminal;

namespace Weir.Cli.Observe;

/// <summary><c>weir ps</c>.</summary>
/// <param name="session">The dashboard.</param>
/// <param name="console">Where it is printed.</param>
internal sealed class Ps(DashboardSession session, CommandConsole console)
{
    /// <summary>Prints it.</summary>
    /// <param name="isJson">Whether as the record.</param>
    /// <param name="checks">Whether calls that fail are exit code 3.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The exit code.</returns>
    /// <exception cref="DashboardException">There is no answer.</exception>
    public async Task<int> RunAsync(bool isJson, bool checks, CancellationToken cancellationToken)
    {
        if (!isJson)
        {
            await console.Out.WriteAsync(await session.GetTextAsync("ps", cancellationToken));
        }

        if (!isJson && !checks)
        {
            return ExitCodes.Success;
        }

        var record = await session.GetAsync("snapshot", "application/json", cancellationToken);
        if (isJson)
        {
            await console.Output.WriteAsync(record, cancellationToken);
            await console.Out.WriteLineAsync();
        }

        return checks ? await CheckAsync(record) : ExitCodes.Success;
    }

    private async Task<int> CheckAsync(ReadOnlyMemory<byte> record)
    {
        var findings = JsonMembers.List(JsonMembers.Parse(record) ?? default, "findings") ?? throw new DashboardException("The answer is no record of a dashboard.");
        var failing = findings.Where(static finding => JsonMembers.Text(finding, "severity") == "failing").ToList();
        foreach (var finding in failing)
        {
            await console.Error.WriteLineAsync($"weir: {JsonMembers.Text(finding, "sentence")}");
        }

        return failing.Count == 0 ? ExitCodes.Success : ExitCodes.CallsFail;
    }
}
