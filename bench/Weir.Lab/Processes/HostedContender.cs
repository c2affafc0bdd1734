using Weir.Lab.Engine;
using Weir.Lab.Isolation;

namespace Weir.Lab.Processes;

/// <summary>A contender in a process of its own; its process does the work, or the lab drives it from outside.</summary>
internal sealed class HostedContender(string name, ProgramLaunch launch) : Contender(name)
{
    private ContenderProcess? _process;
    private IAsyncDisposable? _beside;

    // Whether all it was asked was answered to the end.
    private bool _isSound = true;

    /// <summary>What must be installed for it, or <see cref="Availability.Present"/>.</summary>
    public Availability Needs { get; init; } = Availability.Present;

    /// <summary>Where its process stays for later cases; null when it ends with the case.</summary>
    public SharedProcesses? Shared { get; init; }

    /// <summary>What is made before its process starts, for each case: a database, or another process that is ended with the case; returns what ends it, or null.</summary>
    public Func<CancellationToken, Task<IAsyncDisposable?>>? Before { get; init; }

    /// <summary>What its process is asked to do in a round, when it does the work itself.</summary>
    public ControlLine Request { get; init; } = new("run");

    /// <summary>What its process is asked for the comparison of answers, or null.</summary>
    public ControlLine? Question { get; init; }

    /// <summary>The right answer, where the lab knows it: being of one mind with others who are wrong is not enough.</summary>
    public string? Expected { get; init; }

    /// <summary>How the lab drives a round, when the work comes from outside; null when the process does it itself.</summary>
    public Func<ContenderProcess, CancellationToken, Task<Round>>? Drive { get; init; }

    /// <summary>How the lab warms it up; the same as a round when null.</summary>
    public Func<ContenderProcess, CancellationToken, Task>? WarmUp { get; init; }

    /// <summary>What its process is asked to do to warm up, where that is less than a round.</summary>
    public ControlLine? WarmUpRequest { get; init; }

    /// <summary>How the lab gets the answer to compare, when it comes from outside.</summary>
    public Func<ContenderProcess, CancellationToken, Task<string?>>? Ask { get; init; }

    public override Availability Availability => Needs;

    public override string? Runtime => _process?.Runtime;

    private ContenderProcess Process => _process ?? throw new InvalidOperationException($"{Name} was not prepared.");

    public override async Task PrepareAsync(CancellationToken cancellation)
    {
        if (Before is not null)
            _beside = await Before(cancellation);
        _process = await (Shared?.EnterAsync(Name, launch, cancellation) ?? ContenderProcess.StartAsync(launch, cancellation));
    }

    public override async Task<string?> AnswerAsync(CancellationToken cancellation)
    {
        var answer = await SoundlyAsync(
            Ask is not null ? Ask(Process, cancellation)
            : Question is not null ? AskAsync(Question, cancellation)
            : Task.FromResult<string?>(null));
        return Expected is null || answer == Expected
            ? answer
            : throw new InvalidDataException($"answered '{answer}' where '{Expected}' is right");
    }

    public override Task<Round> RunAsync(CancellationToken cancellation) =>
        SoundlyAsync(Drive is null ? Process.RunAsync(Request, cancellation) : Drive(Process, cancellation));

    public override Task WarmUpAsync(CancellationToken cancellation) =>
        WarmUp is not null ? SoundlyAsync(DoneAsync(WarmUp(Process, cancellation)))
        : WarmUpRequest is not null ? SoundlyAsync(Process.RunAsync(WarmUpRequest, cancellation))
        : RunAsync(cancellation);

    public override async ValueTask DisposeAsync()
    {
        if (_process is not null && Shared is null)
            await _process.DisposeAsync();
        else if (Shared is not null && !_isSound)
            await Shared.EndAsync(Name, launch);
        if (_beside is not null)
            await _beside.DisposeAsync();
        await base.DisposeAsync();
    }

    private async Task<string?> AskAsync(ControlLine question, CancellationToken cancellation) =>
        (await Process.AskAsync(question, cancellation))["answer"];

    private async Task<T> SoundlyAsync<T>(Task<T> work)
    {
        _isSound = false;
        var result = await work;
        _isSound = true;
        return result;
    }

    private static async Task<bool> DoneAsync(Task work)
    {
        await work;
        return true;
    }
}
