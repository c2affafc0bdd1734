using System;
using System.Diagnostics;

namespace Weir.Lab.Isolation;

/// <summary>A well-behaved neighbour: small jobs, timed, errors counted.</summary>
public sealed class Victim
{
    private const int JobBytes = 64 * 1024;

    /// <summary>The mean time of a job that went well, in microseconds.</summary>
    public double JobMicroseconds { get; private set; }

    public int Errors { get; private set; }

    /// <summary>Works on the caller's thread for a while.</summary>
    public static Victim Work(TimeSpan duration) => Work(duration, () => false, duration);

    /// <summary>
    /// Works for <paramref name="least"/>, and continues while <paramref name="goesOn"/> returns <c>true</c>, but not longer than
    /// <paramref name="most"/>.
    /// </summary>
    public static Victim Work(TimeSpan least, Func<bool> goesOn, TimeSpan most)
    {
        var victim = new Victim();
        var done = 0;
        long ticks = 0;
        var watch = Stopwatch.StartNew();
        while (watch.Elapsed < least || (watch.Elapsed < most && goesOn()))
        {
            var before = watch.ElapsedTicks;
            try
            {
                new HelloTask().DoTask(TaskKind.Load, JobBytes);
                ticks += watch.ElapsedTicks - before;
                done++;
            }
            catch (Exception exception) when (exception is InvalidOperationException || exception is OutOfMemoryException)
            {
                victim.Errors++;
            }
        }

        victim.JobMicroseconds = ticks * 1e6 / Stopwatch.Frequency / Math.Max(1, done);
        return victim;
    }
}
