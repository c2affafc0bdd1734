using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;

namespace Weir.Lab.Tests.Contenders;

public sealed class ChaosJobsTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("weir-lab-chaos-jobs-");

    private IEnumerable<string> Ids => ChaosJobs.Accepted(_folder.FullName).Select(static job => job.Id);

    [Fact]
    public async Task The_next_process_submits_what_was_not_accepted_by_the_one_before()
    {
        await SubmitAsync(4);
        var submitted = await SubmitAsync(6);
        Assert.Equal([4, 5], submitted);
        Assert.Equal(["job-0", "job-1", "job-2", "job-3", "job-4", "job-5"], Ids.Order());
    }

    [Fact]
    public async Task What_is_refused_is_submitted_again_until_it_is_accepted()
    {
        var refusals = 2;
        await ChaosJobs.SubmitAsync(Request(1), _folder.FullName, number => Task.FromResult(refusals-- > 0 ? null : $"job-{number}"), static _ => Task.FromResult("Succeeded"));
        Assert.Equal(["job-0"], Ids);
        Assert.Equal(-1, refusals);
    }

    [Fact]
    public async Task A_job_that_never_ends_does_not_keep_the_others_from_being_accepted()
    {
        await ChaosJobs.SubmitAsync(
            Request(8), _folder.FullName, static number => Task.FromResult<string?>($"job-{number}"), static id => id == "job-3" ? new TaskCompletionSource<string>().Task : Task.FromResult("Succeeded"));
        Assert.Equal(8, Ids.Count());
    }

    [Fact]
    public async Task Each_of_several_processes_submits_its_share()
    {
        for (var share = 0; share < 3; share++)
        {
            var part = share;
            await ChaosJobs.SubmitAsync(
                Request(7).With("share", part).With("shares", 3), _folder.FullName, number => Task.FromResult<string?>($"job-{number}-of-{part}"), static _ => Task.FromResult("Succeeded"));
        }

        Assert.Equal(["job-0-of-0", "job-1-of-1", "job-2-of-2", "job-3-of-0", "job-4-of-1", "job-5-of-2", "job-6-of-0"], Ids.Order());
    }

    [Fact]
    public async Task Where_all_were_accepted_before_there_is_nothing_to_submit()
    {
        await SubmitAsync(2);
        Assert.Empty(await SubmitAsync(2));
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private static ControlLine Request(int count) => new ControlLine("submit").With("count", count).With("inflight", 2);

    private async Task<List<long>> SubmitAsync(int count)
    {
        var submitted = new List<long>();
        await ChaosJobs.SubmitAsync(Request(count), _folder.FullName, Submit, static _ => Task.FromResult("Succeeded"));
        submitted.Sort();
        return submitted;

        Task<string?> Submit(long number)
        {
            lock (submitted)
                submitted.Add(number);
            return Task.FromResult<string?>($"job-{number}");
        }
    }
}
