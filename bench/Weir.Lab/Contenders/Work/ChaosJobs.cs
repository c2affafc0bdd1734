using System.Collections.Concurrent;
using System.Globalization;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Work;

/// <summary>Jobs that are submitted while processes are killed, the same for every library: what was answered is written to a file, and the next process continues where this one ended.</summary>
internal static class ChaosJobs
{
    /// <summary>Declared to be harmless when it runs twice.</summary>
    public const string Repeatable = "repeatable";

    /// <summary>Not so declared.</summary>
    public const string Plain = "plain";

    /// <summary>The file with the states of all jobs in the end.</summary>
    public const string Final = "final";

    private const string Submitters = "submitter-";

    /// <summary>How long each job takes: with a kill every 50 ms most are not met by one.</summary>
    public static readonly TimeSpan JobTime = TimeSpan.FromMilliseconds(2);

    private static readonly TimeSpan UntilAgain = TimeSpan.FromMilliseconds(5);

    /// <summary>Whether a job of this number runs in a worker, where there are workers.</summary>
    public static bool IsIsolated(long number) => number % 10 < 3;

    /// <summary>Whether running it twice was declared harmless.</summary>
    public static bool IsRepeatable(long number) => number % 10 is not (2 or 8 or 9);

    /// <summary>Submits those of <c>count</c> jobs (of which <c>share</c> of <c>shares</c> is this process's, all without that) whose acceptance no earlier process has written down, by <c>inflight</c> submitters, each of which waits for the end of its job before the next one.</summary>
    /// <param name="request">What is asked.</param>
    /// <param name="folder">Where the files are.</param>
    /// <param name="submit">
    /// Submits the job of a number, under a key that makes it the same job when it is submitted again, where the library has one; completes with its id when it is accepted, with <c>null</c> where it is not or
    /// that is not known.
    /// </param>
    /// <param name="end">Completes with the state in which a job has ended.</param>
    /// <returns>Completes when all were accepted.</returns>
    public static async Task SubmitAsync(ControlLine request, string folder, Func<long, Task<string?>> submit, Func<string, Task<string>> end)
    {
        var before = Accepted(folder).Select(static job => job.Number).ToHashSet();
        var (share, shares) = (request.Int("share", 0), request.Int("shares", 1));
        var left = new ConcurrentQueue<long>(Enumerable.Range(0, request.Int("count")).Select(static number => (long)number).Where(number => number % shares == share && !before.Contains(number)));
        var (open, accepted) = (left.Count, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        if (open == 0)
            return;

        // Open until the process ends: jobs end after the last one was accepted.
        var file = new StreamWriter(Path.Combine(folder, FormattableString.Invariant($"{Submitters}{Environment.ProcessId}-{Clock.Now}"))) { AutoFlush = true };
        await await Task.WhenAny(accepted.Task, Task.WhenAll(Enumerable.Range(0, request.Int("inflight")).Select(_ => Task.Run(SubmitAsync))));

        async Task SubmitAsync()
        {
            while (left.TryDequeue(out var number))
            {
                string? id;
                while ((id = await submit(number)) is null)
                    await Task.Delay(UntilAgain);
                Write(FormattableString.Invariant($"accepted {number} {id}"));
                if (Interlocked.Decrement(ref open) == 0)
                    accepted.SetResult();
                var state = await end(id);
                Write(FormattableString.Invariant($"ended {number} {state} {Clock.Now}"));
            }
        }

        void Write(string line)
        {
            lock (file)
                file.WriteLine(line);
        }
    }

    /// <summary>The jobs that were accepted.</summary>
    public static IEnumerable<(long Number, string Id)> Accepted(string folder) =>
        Journals(folder).Where(static words => words is ["accepted", _, _]).Select(static words => (long.Parse(words[1], CultureInfo.InvariantCulture), words[2]));

    /// <summary>The words of each line that submitters have written.</summary>
    public static IEnumerable<string[]> Journals(string folder) =>
        Directory.GetFiles(folder, $"{Submitters}*").SelectMany(static path => File.ReadLines(path)).Select(static line => line.Split(' '));
}
