namespace Weir.Tests.Processes.Simulation;

/// <summary>The simulation can fail: each rule that is broken on purpose is detected, for the right reason.</summary>
public sealed class MutationTests
{
    private const int MostSeeds = 10_000;

    public static TheoryData<string, string> Mutations => new()
    {
        { nameof(Mutation.RetriesEverything), "a call that is not idempotent runs once" },
        { nameof(Mutation.RetriesAfterItems), "a call whose reader has seen an item is not run again" },
        { nameof(Mutation.RetriesForEver), "the number of retries is bounded" },
        { nameof(Mutation.LeavesCodeBehind), "a call that ends with its code ends after it" },
        { nameof(Mutation.IgnoresRetries), "the number of retries is bounded" },
        { nameof(Mutation.QueuesTheFree), "a call that asks for a free worker is not queued" },
        { nameof(Mutation.SalvagesNothing), "a finished result is delivered" },
        { nameof(Mutation.LosesUnstarted), "a call that fails as lost had started" },
        { nameof(Mutation.ForgetsStarted), "a call that is not idempotent runs once" },
        { nameof(Mutation.SendsBehindUnknown), "calls of unknown duration are not prefetched, and nothing behind them" },
        { nameof(Mutation.SendsWithoutBound), "prefetch is bounded" },
        { nameof(Mutation.NeverWithdraws), "no call waits behind a long one" },
        { nameof(Mutation.WithdrawsTooLate), "a call that is not idempotent runs once" },
        { nameof(Mutation.CutsTheGrace), "no worker is killed before the grace is over" },
        { nameof(Mutation.NeverKills), "a drain completes" },
        { nameof(Mutation.CountsGraceFromLeaving), "no worker is killed before the grace is over" },
        { nameof(Mutation.ExceedsMaximum), "the maximum of workers is respected" },
        { nameof(Mutation.ExceedsPlaces), "the number of places is respected" },
        { nameof(Mutation.IgnoresCapacity), "the maximum over all pools is respected" },
        { nameof(Mutation.ForeseesNothing), "no call waits behind a long one" },
        { nameof(Mutation.DrainsEarly), "a drain does not complete early" },
        { nameof(Mutation.RetiresBusy), "a worker's state shows whether it has calls" },
        { nameof(Mutation.ForgetsTheDead), "a drain completes" },
        { nameof(Mutation.AnswersTwice), "a call has one outcome" },
        { nameof(Mutation.ForgetsTasks), "a worker has no more calls than it may have" },
        { nameof(Mutation.SendsBehindUnknown), "no call waits behind a blocked stream" },
        { nameof(Mutation.SendsWithoutCredit), "no more than the window is unread" },
        { nameof(Mutation.SendsAfterwards), "an item belongs to its call" },
        { nameof(Mutation.LosesCredit), "every call completes" },
        { nameof(Mutation.CutsTheStall), "a slow reader has its full timeout" },
        { nameof(Mutation.NeverStalls), "a reader that takes nothing does not block its worker" },
        { nameof(Mutation.LosesItems), "a reader that continues gets every item once" },
        { nameof(Mutation.SwapsItems), "the items of a stream arrive in order" },
        { nameof(Mutation.ReadsAfterLeaving), "a cancelled reader gets no items" },
        { nameof(Mutation.ForgetsBudget), "a pool whose workers fail before a call pauses" },
        { nameof(Mutation.ForgetsPauses), "one worker is started after a pause" },
        { nameof(Mutation.ForgetsQuarantine), "a call that makes workers fail is rejected" },
        { nameof(Mutation.BlamesAtOnce), "a call that makes no worker fail is not rejected" },
        { nameof(Mutation.BlamesOutsiders), "a call that makes no worker fail is not rejected" },
        { nameof(Mutation.ForgivesForEver), "a call that makes workers fail is rejected" },
        { nameof(Mutation.NeverForgets), "a call that makes no worker fail is not rejected" },
        { nameof(Mutation.ForgetsSurvivors), "a call that makes no worker fail is not rejected" },
        { nameof(Mutation.ReplacesAtOnce), "an old worker stays until a new one is ready" },
        { nameof(Mutation.KeepsTheOld), "in the end no worker is of an old generation" },
        { nameof(Mutation.FreesNoCapacity), "an old worker retires if the host has no capacity for its replacement" },
        { nameof(Mutation.KeepsExcess), "workers above a lower maximum retire" },
        { nameof(Mutation.TriesTheBroken), "a generation that cannot start is not started again" },
        { nameof(Mutation.IgnoresFiredTokens), "a call whose caller has left before is cancelled" },
        { nameof(Mutation.ForgetsBorrowed), "the memory of a withdrawn call is returned before it is used again" },
        { nameof(Mutation.ClosesNothing), "the memory of a withdrawn call is returned before it is used again" },
        { nameof(Mutation.NoticesNoStop), "a host that stood still gives its workers their time again" },
        { nameof(Mutation.MissesWakes), "a missed wake is noticed" },
        { nameof(Mutation.LosesFailedTicks), "a drain completes" },
        { nameof(Mutation.ForgetsWaiters), "who waits until a pool is ready learns what became of it" },
        { nameof(Mutation.FailsWaiters), "who waits until a pool is ready fails only if it cannot be" },
        { nameof(Mutation.ForgetsAnswered), "the memory of answered calls is released before their outcomes" },
    };

    [Theory]
    [MemberData(nameof(Mutations))]
    public void A_broken_rule_is_noticed(string mutation, string rule)
    {
        // Other rules may be violated first; some seed shows the expected one.
        var found = new HashSet<string>();
        for (var seed = 0; seed < MostSeeds; seed++)
        {
            try
            {
                new PoolSimulation(seed, Enum.Parse<Mutation>(mutation)).Run();
            }
            catch (SimulationFault fault)
            {
                found.Add(fault.Rule);
                if (fault.Rule == rule)
                {
                    return;
                }
            }
        }

        Assert.Fail($"'{rule}' was never broken, but: {string.Join("; ", found)}");
    }

    [Fact]
    public void Every_mutation_is_tried() =>
        Assert.Equal(
            Enum.GetNames<Mutation>().Where(static name => name != nameof(Mutation.None)).Order(),
            Mutations.Select(static row => row.Data.Item1).Distinct().Order());
}
