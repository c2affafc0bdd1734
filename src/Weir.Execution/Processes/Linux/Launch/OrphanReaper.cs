using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;
using Weir.Execution.Threading;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>
/// Reaps the processes that a host inherits because it is process 1, as in a container without an init: what its workers started and nothing
/// waits for. Otherwise each would stay a zombie and count against <c>pids.max</c>. Where the host is not process 1, it does nothing.
/// </summary>
/// <remarks>
/// Never "any" child: one that the application started belongs to the application, and the runtime ends a process whose child was reaped by
/// other code. Three things distinguish an orphan from those: the kernel gives it to the first thread of the host; it is in another process
/// group than the host, unlike children of <c>Process.Start</c> and of native libraries; and it had ended already while the runtime did not
/// handle SIGCHLD yet, which it does before it starts its first process. Once it does, an orphan is what it leaves unreaped at several looks.
/// </remarks>
internal sealed class OrphanReaper
{
    private const int Init = 1;
    private const int ChildSignal = 17;
    private const int LooksUntilUnclaimed = 3;

    // Orphans of a lost worker are killed together with it.
    private static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(5);

    private static readonly RetryingLazy<OrphanReaper> Instance = new(static () => new OrphanReaper());

    private readonly ITimer _timer;

    // What had ended and was left to the runtime, with the number of looks that count: they are a period apart. Used by the timer's callback alone.
    private Dictionary<(int ProcessId, long Started), int> _ended = [];
    private long _countedAt;

    private OrphanReaper() => _timer = Callbacks.CreateTimer(TimeProvider.System, this, static reaper => reaper.Look(), static (_, _) => { });

    /// <summary>A worker started or ended: orphans may exist from now on.</summary>
    public static void Expect()
    {
        if (Environment.ProcessId == Init)
        {
            // Not periodic: a look that takes long does not run beside the next.
            Instance.Value._timer.Change(Soon, Timeout.InfiniteTimeSpan);
        }
    }

    /// <summary>Children that have ended and that the kernel gave to this process.</summary>
    internal static IEnumerable<(int ProcessId, long Started)> EndedOrphans(int processId)
    {
        var folder = string.Create(CultureInfo.InvariantCulture, $"/proc/{processId}");
        var group = ProcStat.Read(folder)?.Group;
        foreach (var word in (KernelFile.Read($"{folder}/task/{processId.ToString(CultureInfo.InvariantCulture)}/children") ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (ProcStat.Read($"/proc/{word}") is { State: 'Z' } ended && ended.Parent == processId && ended.Group != group)
            {
                yield return (int.Parse(word, CultureInfo.InvariantCulture), ended.Started);
            }
        }
    }

    /// <summary>Whether <c>SigCgt</c> of a process's status has SIGCHLD.</summary>
    internal static bool HandlesChildSignal(string? status)
    {
        const string Word = "SigCgt:";
        foreach (var line in status.AsSpan().EnumerateLines())
        {
            if (line.StartsWith(Word, StringComparison.Ordinal))
            {
                return !ulong.TryParse(line[Word.Length..].Trim(), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var caught) || (caught >> (ChildSignal - 1) & 1) != 0;
            }
        }

        return true;
    }

    private void Look()
    {
        try
        {
            // In this order: what had ended before the runtime handled the signal cannot be a process that it started.
            var ended = EndedOrphans(Init).ToList();
            var isRuntimesTurn = ended.Count > 0 && HandlesChildSignal(KernelFile.Read("/proc/self/status"));
            var left = new Dictionary<(int, long), int>();
            var counts = TimeProvider.System.GetElapsedTime(_countedAt) >= Period;
            _countedAt = counts ? TimeProvider.System.GetTimestamp() : _countedAt;
            foreach (var orphan in ended)
            {
                var looks = _ended.GetValueOrDefault(orphan) + (counts ? 1 : 0);
                if (isRuntimesTurn && looks < LooksUntilUnclaimed)
                {
                    left[orphan] = looks;
                }
                else
                {
                    Reaping.TryReap(orphan.ProcessId);
                }
            }

            _ended = left;
        }
        finally
        {
            _timer.Change(Period, Timeout.InfiniteTimeSpan);
        }
    }
}
