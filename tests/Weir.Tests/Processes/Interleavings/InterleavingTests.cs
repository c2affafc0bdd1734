using Weir.Tests.Processes.Simulation;

namespace Weir.Tests.Processes.Interleavings;

/// <summary>
/// Three workers, three calls, one worker failure at any point of any order of events: every call has one outcome, it is lost only if
/// it had started and had not finished, and runs twice only if it may.
/// </summary>
public sealed class InterleavingTests
{
    [Theory]
    [InlineData(true, true, 3, 0, 1, 0)]
    [InlineData(true, true, 3, -1, 0, 1)]
    [InlineData(true, true, 1, -1, 2, 0)]
    [InlineData(true, false, 0, 2, 0, 1)]
    [InlineData(false, false, 0, 1, 0, 1)]
    [InlineData(false, true, 3, -1, 0, 0)]
    public void In_every_order_every_call_has_one_outcome(bool hasSharedMemory, bool isKnown, int minimum, int idempotent, int pauses, int leavings)
    {
        var explorer = Walk(new ModelSetup
        {
            HasSharedMemory = hasSharedMemory,
            IsKnown = isKnown,
            MinWorkers = minimum,
            Idempotent = idempotent,
            Pauses = pauses,
            Leavings = leavings,
        });

        // The exploration was not empty.
        Assert.True(explorer.States > 10_000, $"{explorer.States} states");
        Assert.True(explorer.Ends > 100, $"{explorer.Ends} ends");
    }

    [Fact]
    public void Also_while_frames_refer_to_the_memory_of_withdrawn_calls()
    {
        var explorer = Walk(new ModelSetup { HasSharedMemory = true, IsKnown = true, MinWorkers = 3, Lends = true, Pauses = 1 });
        Assert.True(explorer.States > 10_000, $"{explorer.States} states");
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public void Also_when_the_pool_becomes_smaller(bool hasSharedMemory, bool isKnown)
    {
        var explorer = Walk(new ModelSetup { HasSharedMemory = hasSharedMemory, IsKnown = isKnown, MinWorkers = 2, Resizes = 1 });
        Assert.True(explorer.States > 10_000, $"{explorer.States} states");
    }

    [Theory, Trait("Kind", "Long")]
    [InlineData(true, 3, 0, 1, 1)]
    [InlineData(false, 3, 1, 0, 2)]
    public void Also_with_more_time_and_more_cancelled_callers(bool hasSharedMemory, int minimum, int idempotent, int pauses, int leavings) => Walk(new ModelSetup
    {
        HasSharedMemory = hasSharedMemory,
        IsKnown = true,
        MinWorkers = minimum,
        Idempotent = idempotent,
        Pauses = pauses,
        Leavings = leavings,
    });

    [Theory]
    [InlineData(nameof(Mutation.SalvagesNothing))]
    [InlineData(nameof(Mutation.ForgetsStarted))]
    [InlineData(nameof(Mutation.LosesUnstarted))]
    [InlineData(nameof(Mutation.WithdrawsTooLate))]
    public void A_broken_rule_is_found(string mutation) => Assert.Throws<InvalidOperationException>(() => Walk(new ModelSetup
    {
        HasSharedMemory = true,
        IsKnown = true,
        MinWorkers = 3,
        Pauses = 1,
        Mutation = Enum.Parse<Mutation>(mutation),
    }));

    private static Explorer Walk(ModelSetup setup)
    {
        var explorer = new Explorer(setup);
        explorer.Walk();
        TestContext.Current.TestOutputHelper?.WriteLine($"{explorer.States} states, {explorer.Ends} ends");
        return explorer;
    }
}
