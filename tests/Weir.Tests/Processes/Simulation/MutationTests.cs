namespace Weir.Tests.Processes.Simulation;

/// <summary>The simulation can fail: each rule that is broken on purpose is noticed, and for the right reason.</summary>
public sealed class MutationTests
{
    private const int MostSeeds = 4_000;

    public static TheoryData<string, string> Mutations => new()
    {
        { nameof(Mutation.RetriesEverything), "a call that is not idempotent runs once" },
        { nameof(Mutation.RetriesAfterItems), "a call of which an item was seen is not run again" },
        { nameof(Mutation.RetriesForEver), "a call is tried a few times" },
        { nameof(Mutation.SalvagesNothing), "what was finished is delivered" },
        { nameof(Mutation.LosesUnstarted), "a call that ends as lost had started" },
        { nameof(Mutation.ForgetsStarted), "a call that is not idempotent runs once" },
        { nameof(Mutation.SendsBehindUnknown), "nothing is sent ahead of or behind the unknown" },
        { nameof(Mutation.SendsWithoutBound), "what is sent ahead is bounded" },
        { nameof(Mutation.NeverRecalls), "no call waits behind a long one" },
        { nameof(Mutation.RecallsTooLate), "a call that is not idempotent runs once" },
        { nameof(Mutation.CutsTheGrace), "nobody is killed before the grace is over" },
        { nameof(Mutation.NeverKills), "a pool that drains is drained" },
        { nameof(Mutation.CountsGraceFromLeaving), "nobody is killed before the grace is over" },
        { nameof(Mutation.ExceedsMaximum), "the maximum holds" },
        { nameof(Mutation.ExceedsPlaces), "the places hold" },
        { nameof(Mutation.IgnoresRoom), "the cap over all pools holds" },
        { nameof(Mutation.ForeseesNothing), "no call waits behind a long one" },
        { nameof(Mutation.DrainsEarly), "drained is never early" },
        { nameof(Mutation.RetiresBusy), "a worker's state says whether it has calls" },
        { nameof(Mutation.ForgetsTheDead), "a pool that drains is drained" },
        { nameof(Mutation.AnswersTwice), "a call has one ending" },
        { nameof(Mutation.ForgetsTasks), "a worker has no more calls than it may have" },
        { nameof(Mutation.SendsBehindUnknown), "no call waits behind a blocked stream" },
        { nameof(Mutation.SendsWithoutCredit), "no more than the window is unread" },
        { nameof(Mutation.SendsAfterwards), "an item belongs to its call" },
        { nameof(Mutation.LosesCredit), "every call ends" },
        { nameof(Mutation.CutsTheStall), "a reader has its time" },
        { nameof(Mutation.NeverStalls), "a reader that takes nothing does not keep its worker" },
        { nameof(Mutation.LosesItems), "a reader that goes on gets every item once" },
        { nameof(Mutation.SwapsItems), "the items of a stream come in order" },
        { nameof(Mutation.ReadsAfterLeaving), "who has left gets no items" },
        { nameof(Mutation.ForgetsBudget), "a pool whose workers die at once pauses" },
        { nameof(Mutation.ForgetsPauses), "one worker tries after a pause" },
        { nameof(Mutation.ForgetsPoison), "what kills workers is turned away" },
        { nameof(Mutation.BlamesAtOnce), "what kills nobody is not turned away" },
        { nameof(Mutation.BlamesOutsiders), "what kills nobody is not turned away" },
        { nameof(Mutation.ForgivesForEver), "what kills workers is turned away" },
        { nameof(Mutation.NeverForgets), "what kills nobody is not turned away" },
        { nameof(Mutation.ForgetsSurvivors), "what kills nobody is not turned away" },
        { nameof(Mutation.ReplacesAtOnce), "an old worker stays until a new one is ready" },
        { nameof(Mutation.KeepsTheOld), "in the end no worker is old" },
        { nameof(Mutation.MakesNoRoom), "an old worker makes room where the host has none" },
        { nameof(Mutation.TriesTheBroken), "a generation that cannot be started is not tried again" },
    };

    [Theory]
    [MemberData(nameof(Mutations))]
    public void A_broken_rule_is_noticed(string mutation, string rule)
    {
        // Other rules may break first; some seed shows the one that is meant.
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
