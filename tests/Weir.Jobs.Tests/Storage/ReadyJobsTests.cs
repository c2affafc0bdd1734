using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>The order of claims in memory, which is the reference of other stores, against the obvious way to find it.</summary>
public sealed class ReadyJobsTests
{
    private static readonly string[] Keys = ["", "\0", "a", "a\0", "aa", "b", "🌊", "\uFFFF"];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void The_next_job_of_a_priority_is_the_oldest_of_the_next_key(int seed)
    {
        var random = new Random(seed);
        var (ready, jobs) = (new ReadyJobs(), new List<MemoryJob>());
        for (var step = 1; step <= 20_000; step++)
        {
            // As often fewer as more, so that it is empty now and then.
            if (random.Next(2) == 0)
            {
                var job = new MemoryJob(Call(Keys[random.Next(Keys.Length)], (JobPriority)random.Next(-1, 2)), step) { Sequence = step };
                ready.Add(job);
                jobs.Add(job);
            }
            else if (jobs.Count > 0)
            {
                var job = jobs[random.Next(jobs.Count)];
                ready.Remove(job);
                jobs.Remove(job);
            }

            var after = random.Next(5) == 0 ? null : Keys[random.Next(Keys.Length)];
            var priority = (JobPriority)random.Next(-1, 2);
            Assert.Same(Next(jobs, priority, after), ready.Next(priority, after));
            Assert.Equal(jobs.Count == 0, ready.IsEmpty);
        }
    }

    private static MemoryJob? Next(List<MemoryJob> jobs, JobPriority priority, string? after) =>
        jobs.Where(job => job.Priority == priority && (after is null || string.CompareOrdinal(job.Key, after) > 0))
            .OrderBy(static job => job.Key, StringComparer.Ordinal)
            .ThenBy(static job => job.Sequence)
            .FirstOrDefault();

    private static NewJob Call(string key, JobPriority priority) => new()
    {
        Id = default,
        Kind = "a",
        Signature = 0,
        Arguments = default,
        Submitted = default,
        Due = default,
        Key = key,
        Priority = priority,
    };
}
