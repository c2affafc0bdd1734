namespace Weir.Jobs.Tests.Faults;

/// <summary>The same submission again and again.</summary>
public sealed class EqualSubmissionTests
{
    [Fact]
    public async Task Sixty_four_equal_submissions_at_once_are_one_job_also_where_the_host_is_killed_between_them()
    {
        const int Keys = 12;
        using var rig = new FaultRig();
        foreach (var acknowledged in new[] { 1, 150, 400 })
        {
            using var host = rig.Start("equal", "", "--Keys", $"{Keys}");
            while (rig.Answers().Count < acknowledged && !host.HasExited)
            {
                await Task.Delay(2, TestContext.Current.CancellationToken);
            }

            await host.KillAsync();
        }

        using (await rig.RunAsync("equal", "", "--Keys", $"{Keys}"))
        {
        }

        var jobs = await rig.CheckAsync();
        Assert.Equal(Keys, jobs.Count);
        var accepted = rig.Answers().Where(static answer => answer[0] == "accepted").ToLookup(static answer => answer[3], static answer => answer[1]);
        Assert.Equal(Keys, accepted.Count);
        Assert.All(accepted, static key => Assert.Single(key.Distinct()));
    }
}
