using Weir.Jobs.Running;
using Weir.Jobs.Storage;
using Weir.Runtime;

namespace Weir.Jobs.Tests.Running;

/// <summary>For which places the store is asked.</summary>
public sealed class JobPlacesTests
{
    [Fact]
    public async Task Kinds_take_turns_where_all_jobs_share_one_limit()
    {
        await using var host = await JobsHost.StartAsync(static jobs => jobs.UseMemory());
        var kinds = new JobKinds(host.Get<WeirCatalogs>(), new WeirJobsOptions(), static _ => new PoolOptions(), []);
        var places = new JobPlaces(kinds, most: 4);
        string[] names = ["Controlled/Checked", "Controlled/FailsUnless", "Reports/Charge"];
        foreach (var kind in names.Select(kinds.Find))
        {
            // The first job of a kind has a place of its own.
            places.Take(kind!);
            kind!.HasReady = true;
        }

        // One place is left, and what was asked for is not claimed: the next one in turn is asked for it.
        var served = Enumerable.Range(0, 6).Select(_ => Ask(places)).ToList();
        Assert.Equal(names.Order(StringComparer.Ordinal), served.Take(3).Order(StringComparer.Ordinal));
        Assert.Equal(served.Take(3), served.Skip(3));
    }

    private static string Ask(JobPlaces places)
    {
        List<JobClaim> claims = [];
        places.Claim(claims, mostOfGroup: 256);
        var claim = Assert.Single(claims);
        Assert.Equal(1, claim.Slots);
        return Assert.Single(claim.Kinds).Kind;
    }
}
