using System.Diagnostics;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>
/// Kills workers of a chaos run without pause, always one that has run a call by its own witness: to kill any other
/// would prove nothing. Only processes that the contender, which the lab started, has started itself.
/// </summary>
internal sealed class WorkerKiller(ContenderProcess process, string folder, int enough)
{
    private static readonly TimeSpan Between = TimeSpan.FromMilliseconds(50);

    // The same victims in every run, as far as chance allows.
    private readonly Random _random = new(20260101);

    // Only the loop adds to it.
    private readonly HashSet<int> _killed = [];

    public int Kills { get; private set; }

    /// <summary>The processes that it killed. Read it only after RunAsync has completed.</summary>
    public IReadOnlySet<int> Killed => _killed;

    /// <summary>Until the run is over. The contender is notified when there were enough.</summary>
    public async Task RunAsync(CancellationToken over)
    {
        while (!over.IsCancellationRequested)
        {
            await Task.Delay(Between, over).ContinueWith(_ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
            var workers = process.Meter.Children.Where(pid => new ProcessMeter(pid).IsAlive && WitnessFiles.HasRun(folder, pid)).ToArray();
            if (workers.Length == 0 || over.IsCancellationRequested)
                continue;
            var victim = workers[_random.Next(workers.Length)];
            if (!Kill(victim))
                continue;

            _killed.Add(victim);
            if (++Kills == enough)
                WitnessFiles.SayEnough(folder);
        }
    }

    /// <summary>Whether the process still existed.</summary>
    public static bool Kill(int pid)
    {
        try
        {
            using var victim = Process.GetProcessById(pid);
            victim.Kill();
            return true;
        }
        catch (ArgumentException)
        {
            // It has ended by itself.
            return false;
        }
    }
}
