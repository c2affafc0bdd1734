using System.Collections.Concurrent;

namespace Weir.Lab.Processes;

/// <summary>
/// Processes of contenders, and of a load generator, that take part in several cases of an experiment: started by the first case, there for the others,
/// as warm as they have become, and ended with this.
/// </summary>
/// <param name="used">What they use, ended after them; or null.</param>
/// <remarks>Contenders of one case have names of their own, and so never the same process.</remarks>
internal sealed class SharedProcesses(IAsyncDisposable? used = null) : IAsyncDisposable
{
    private readonly ConcurrentDictionary<string, ContenderProcess> _processes = [];

    /// <summary>The process of a contender: the one that an earlier case has left, or a new one.</summary>
    public async Task<ContenderProcess> EnterAsync(string contender, ProgramLaunch launch, CancellationToken cancellation)
    {
        var key = Key(contender, launch);
        if (_processes.TryGetValue(key, out var process) && !process.HasExited)
            return process;

        await EndAsync(contender, launch);
        return _processes[key] = await ContenderProcess.StartAsync(launch, cancellation);
    }

    /// <summary>Ends a process that no other case may meet; the next one gets a new one.</summary>
    public async ValueTask EndAsync(string contender, ProgramLaunch launch)
    {
        if (_processes.TryRemove(Key(contender, launch), out var process))
            await process.DisposeAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(_processes.Values.Select(process => process.DisposeAsync().AsTask()));
        _processes.Clear();
        if (used is not null)
            await used.DisposeAsync();
    }

    private static string Key(string contender, ProgramLaunch launch) => string.Join(' ', [contender, launch.File, .. launch.Arguments]);
}
