using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>Processes with jobs on one store, of which each submits a share of them. One that has ended is started again, until all of them are stopped.</summary>
/// <param name="launch">How each is started.</param>
/// <param name="folder">Where their jobs write down what they did.</param>
/// <param name="size">How many there are.</param>
/// <param name="killsWorkers">Whether their workers are killed, too, as long as there is no calm.</param>
internal sealed class ReplicaGroup(ProgramLaunch launch, string folder, int size, bool killsWorkers) : IDisposable
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);

    // Those of which each place has one, and those that have submitted their share.
    private readonly ContenderProcess?[] _living = new ContenderProcess?[size];
    private readonly ContenderProcess?[] _idle = new ContenderProcess?[size];
    private readonly bool[] _accepted = new bool[size];

    // The same victims in every run, as far as chance allows.
    private readonly Random _random = new(20260101);
    private readonly CancellationTokenSource _calm = new();
    private int _kills;
    private int _workerKills;
    private int _exits;
    private volatile bool _isOver;

    /// <summary>Whether all jobs are accepted.</summary>
    public bool IsAccepted => Array.TrueForAll(_accepted, static accepted => accepted);

    /// <summary>How many were killed.</summary>
    public int Kills => _kills;

    /// <summary>How many of their workers were.</summary>
    public int WorkerKills => _workerKills;

    /// <summary>How many have ended without being killed.</summary>
    public int Exits => _exits;

    public string? Runtime { get; private set; }

    /// <summary>Starts all, submits the jobs, lets <paramref name="fault"/> do its work until they are accepted or <paramref name="most"/> seconds are over, waits for the ends of all jobs, and stops all.</summary>
    /// <param name="jobs">How many there are.</param>
    /// <param name="submitters">How many of each process submit and wait.</param>
    /// <param name="most">For how long it disturbs.</param>
    /// <param name="patience">How many seconds the jobs have after that.</param>
    /// <param name="fault">What disturbs; its token fires when it is to end.</param>
    /// <param name="cancellation">Ends it.</param>
    public async Task<Round> RunAsync(int jobs, int submitters, double most, double patience, Func<ReplicaGroup, CancellationToken, Task> fault, CancellationToken cancellation)
    {
        var request = new ControlLine("submit").With("count", jobs).With("inflight", submitters).With("shares", size);
        var living = Enumerable.Range(0, size).Select(place => LiveAsync(place, request, cancellation)).ToArray();
        try
        {
            // 1. Disturbed, once all are there.
            while (Array.Exists(_living, static process => process is null))
                await Task.Delay(Look, cancellation);
            var began = Clock.Now;
            var disturbing = fault(this, _calm.Token);
            while (!IsAccepted && Clock.SecondsSince(began) < most)
                await Task.Delay(Look, cancellation);
            var chaos = Clock.SecondsSince(began);
            await _calm.CancelAsync();
            await disturbing.ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);

            // 2. Calm: what is left is submitted to processes that live.
            while (!IsAccepted || Array.Exists(_idle, static process => process is null or { HasExited: true }))
                await Task.Delay(Look, cancellation);
            await _idle[0]!.RunAsync(new ControlLine("settle").With("seconds", patience), cancellation);
            var stops = await Task.WhenAll(_idle.Select(process => process!.AskAsync(new ControlLine("stop"), cancellation)));
            return new Round().Add("chaos", chaos, "s").Add("slowest shutdown", stops.Max(static stop => stop.Number("ms")), "ms");
        }
        finally
        {
            _isOver = true;
            await Task.WhenAll(living);
        }
    }

    /// <summary>Kills one of them that lives.</summary>
    public void Kill(int? which = null)
    {
        var living = Enumerable.Range(0, size).Where(place => _living[place] is not null && (which is null || which == place)).ToArray();
        if (living.Length == 0)
            return;

        var place = living[_random.Next(living.Length)];
        if (_living[place] is not { } victim)
            return;

        _living[place] = null;
        Interlocked.Increment(ref _kills);
        victim.Kill();
    }

    public void Dispose() => _calm.Dispose();

    // One place, from one process to the next.
    private async Task LiveAsync(int place, ControlLine request, CancellationToken cancellation)
    {
        var mine = request.Copy().With("share", place);
        while (!_isOver && !cancellation.IsCancellationRequested)
        {
            await using var process = await TryStartAsync(launch, cancellation);
            if (process is null)
                continue;

            _living[place] = process;
            Runtime ??= process.Runtime;
            var killer = new WorkerKiller(process, folder, int.MaxValue);
            using var over = CancellationTokenSource.CreateLinkedTokenSource(_calm.Token);
            var killing = killsWorkers ? killer.RunAsync(over.Token) : Task.CompletedTask;
            try
            {
                await process.RunAsync(mine, cancellation);
                (_accepted[place], _idle[place]) = (true, process);
                while (!_isOver && !process.HasExited)
                    await Task.Delay(Look, cancellation);
            }
            catch (ContenderException) when (process.HasExited)
            {
                // The next one continues.
            }

            _idle[place] = null;
            if (Interlocked.Exchange(ref _living[place], null) is not null && process.HasExited)
                Interlocked.Increment(ref _exits);
            await over.CancelAsync();
            await killing;
            Interlocked.Add(ref _workerKills, killer.Kills);
        }
    }

    // A process that begins while its store is away may give up: it is started again, as a service is.
    private static async Task<ContenderProcess?> TryStartAsync(ProgramLaunch launch, CancellationToken cancellation)
    {
        try
        {
            return await ContenderProcess.StartAsync(launch, cancellation);
        }
        catch (ContenderException)
        {
            await Task.Delay(Look, cancellation);
            return null;
        }
    }
}
