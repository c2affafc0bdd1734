using Weir.Lab.Engine;
using Weir.Lab.Isolation;

namespace Weir.Lab.Processes;

/// <summary>A contender whose every round is the first one of a new process, which has answered one question before.</summary>
internal sealed class ColdContender(string name, ProgramLaunch launch, ControlLine request, ControlLine question, string expected) : Contender(name)
{
    private string? _runtime;

    public override string? Runtime => _runtime;

    public override bool WarmsUp => false;

    public override async Task<string?> AnswerAsync(CancellationToken cancellation)
    {
        await using var process = await ContenderProcess.StartAsync(launch, cancellation);
        return await AskAsync(process, cancellation);
    }

    public override async Task<Round> RunAsync(CancellationToken cancellation)
    {
        await using var process = await ContenderProcess.StartAsync(launch, cancellation);
        _runtime = process.Runtime;

        // The work is compiled then, and the threads are not there yet.
        await AskAsync(process, cancellation);
        return await process.RunAsync(request, cancellation);
    }

    private async Task<string> AskAsync(ContenderProcess process, CancellationToken cancellation)
    {
        var answer = (await process.AskAsync(question, cancellation))["answer"];
        return answer == expected ? answer : throw new InvalidDataException($"answered '{answer}' where '{expected}' is right");
    }
}
