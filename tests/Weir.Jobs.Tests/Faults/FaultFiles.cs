using System.Diagnostics;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Faults;

/// <summary>What the processes of a test have written down: what submitters were answered, and what handlers did; and what must be true of the jobs in the end.</summary>
/// <param name="directory">Where the files are.</param>
internal sealed class FaultFiles(string directory)
{
    // Most starts of a job that is not [Idempotent], by the attempts it asks for.
    private static readonly Dictionary<string, int> MostStarts = new(StringComparer.Ordinal) { ["Work/Flaky"] = 3, ["Work/Again"] = 3, ["Work/FailsOnce"] = 2 };

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    /// <summary>What submitters were answered, by all processes.</summary>
    public List<string[]> Answers() => [.. Lines("answers-")];

    /// <summary>Waits until a process has answered a submitter, and so has begun to work, however busy the machine is.</summary>
    /// <param name="process">The process.</param>
    /// <param name="before">How many answers there were before it started.</param>
    public async Task WorksAsync(HostProcess process, int before)
    {
        while (Answers().Count == before)
        {
            Assert.False(process.HasExited, process.Said);
            await Task.Delay(10, Stop);
        }
    }

    /// <summary>Waits until submitters were given an answer so often again.</summary>
    /// <param name="process">The process that answers.</param>
    /// <param name="answer">"accepted" or "rejected".</param>
    /// <param name="more">How often from now on.</param>
    public async Task AnswersAsync(HostProcess process, string answer, int more)
    {
        var began = Stopwatch.GetTimestamp();
        var before = Answers().Count(one => one[0] == answer);
        while (Answers().Count(one => one[0] == answer) < before + more)
        {
            Assert.False(process.HasExited || Stopwatch.GetElapsedTime(began) > TimeSpan.FromMinutes(1), $"Submitters were not {answer} {more} times in a minute, but {string.Join(", ", Answers().CountBy(static one => one[0]))}: {process.Said}");
            await Task.Delay(10, Stop);
        }
    }

    /// <summary>The jobs of which submitters know.</summary>
    public HashSet<Guid> Acknowledged() => [.. Answers().Where(static line => line[0] == "accepted").Select(static line => Guid.Parse(line[1]))];

    /// <summary>What handlers did, in the order of each process.</summary>
    public List<string[]> Oracle() => [.. Lines("oracle-")];

    /// <summary>How often the code of each job was started.</summary>
    public Dictionary<Guid, int> Starts() => Oracle().Where(static line => line[0] == "start").GroupBy(static line => Guid.Parse(line[1])).ToDictionary(static group => group.Key, static group => group.Count());

    /// <summary>
    /// What must be true of every store whose jobs have ended: each acknowledged job is there, none was started twice that must not be, each has one outcome, and it is that of code that ran.
    /// </summary>
    /// <param name="jobs">All jobs with their attempts.</param>
    public void Check(IReadOnlyDictionary<Guid, (JobRecord Job, IReadOnlyList<JobAttempt> Attempts)> jobs)
    {
        var oracle = Oracle();
        var starts = oracle.Where(static line => line[0] == "start").Select(static line => (Id: Guid.Parse(line[1]), Fence: line[2])).ToList();
        var done = oracle.Where(static line => line[0] == "done").Select(static line => (Guid.Parse(line[1]), line[2])).ToHashSet();
        Assert.All(Acknowledged(), id => Assert.True(jobs.ContainsKey(id), $"Job {id} was acknowledged and is lost."));
        Assert.Equal(starts.Count, starts.Distinct().Count());
        Assert.All(starts, start => Assert.True(jobs.ContainsKey(start.Id), $"Job {start.Id} ran and is not stored."));
        var count = Starts();
        foreach (var (id, (job, attempts)) in jobs)
        {
            var (status, ran) = (job.Status, count.GetValueOrDefault(id));
            var what = $"Job {id} of {job.Kind} is {status.State} {status.Reason}, claimed {status.Starts} times, fence {status.Fence}; its code was started {ran} times; attempts: {string.Join(", ", attempts.Select(static one => $"{one.Fence} {one.Happened}"))}.";
            Assert.True(status.HasEnded, what);
            Assert.True(ran <= status.Starts, what);
            if (!IsIdempotent(job.Kind))
            {
                Assert.True(ran <= MostStarts.GetValueOrDefault(job.Kind, 1), what);
            }

            // One that was presumed lost, and then reports how it ended, is there twice.
            var fences = attempts.Where((one, index) => one.Happened != JobEvent.OwnerLost || index + 1 == attempts.Count || attempts[index + 1].Fence != one.Fence).Select(static one => one.Fence).ToList();
            Assert.True(fences.SequenceEqual(fences.Distinct().Order()), what);
            switch (status.State)
            {
                case JobState.Succeeded:
                    Assert.True(done.Contains((id, $"{status.Fence}")), what);
                    // Or it was presumed lost, and was not.
                    Assert.True(attempts.All(one => one.Fence < status.Fence || one.Happened == JobEvent.OwnerLost), what);
                    Assert.True(job.Kind != "Work/Pages" || job.Items == 20, $"{what} {job.Items} items.");
                    break;
                case JobState.Failed:
                    Assert.True(attempts.Count > 0 && attempts[^1].Fence == status.Fence, what);
                    Assert.True(attempts.All(static one => one.Happened != JobEvent.Succeeded), what);
                    break;
                default:
                    Assert.True(status.State == JobState.Cancelled, what);
                    break;
            }
        }
    }

    public static bool IsIdempotent(string kind) => kind.EndsWith("Repeatable", StringComparison.Ordinal) || kind == "Work/Pages";

    // The last line of a process that was killed may not be whole.
    private IEnumerable<string[]> Lines(string prefix)
    {
        foreach (var file in Directory.GetFiles(directory, prefix + "*"))
        {
            using var reader = new StreamReader(new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
            var text = reader.ReadToEnd();
            foreach (var line in text[..(text.LastIndexOf('\n') + 1)].Split('\n', StringSplitOptions.RemoveEmptyEntries))
            {
                yield return line.Split(' ');
            }
        }
    }
}
