using System.Text.Json;
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
    /// <param name="explains">Whether the pages of the codes that findings name follow.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The exit code.</returns>
    /// <exception cref="DashboardException">There is no answer.</exception>
    /// <exception cref="InputException">It is to be a record and pages.</exception>
    public async Task<int> RunAsync(bool isJson, bool checks, bool explains, CancellationToken cancellationToken)
    {
        if (isJson && explains)
        {
            throw new InputException("--explain prints pages for people, and --json a record for programs; give one of them.");
        }

        if (!isJson)
        {
            await console.Out.WriteAsync(await session.GetTextAsync("ps", cancellationToken));
        }

        if (!isJson && !checks && !explains)
        {
            return ExitCodes.Success;
        }

        var record = await session.GetAsync("snapshot", "application/json", cancellationToken);
        if (isJson)
        {
            await console.Output.WriteAsync(record, cancellationToken);
            await console.Out.WriteLineAsync();
        }

        if (explains)
        {
            await ExplainAsync(FindingsOf(record));
        }

        return checks ? await CheckAsync(FindingsOf(record)) : ExitCodes.Success;
    }

    private static IReadOnlyList<JsonElement> FindingsOf(ReadOnlyMemory<byte> record) =>
        JsonMembers.List(JsonMembers.Parse(record) ?? default, "findings") ?? throw new DashboardException("The answer is no record of a dashboard.");

    private async Task ExplainAsync(IReadOnlyList<JsonElement> findings)
    {
        foreach (var code in findings.SelectMany(static finding => CodePages.CodesIn(JsonMembers.Text(finding, "toDo") ?? "")).Distinct())
        {
            await console.Out.WriteLineAsync();
            await console.Out.WriteLineAsync(CodePages.Find(code)?.TrimEnd() ?? $"# {code}: this version of weir has no page of it.");
        }
    }

    private async Task<int> CheckAsync(IReadOnlyList<JsonElement> findings)
    {
        var failing = findings.Where(static finding => JsonMembers.Text(finding, "severity") == "failing").ToList();
        foreach (var finding in failing)
        {
            await console.Error.WriteLineAsync($"weir: {JsonMembers.Text(finding, "sentence")}");
        }

        return failing.Count == 0 ? ExitCodes.Success : ExitCodes.CallsFail;
    }
}
