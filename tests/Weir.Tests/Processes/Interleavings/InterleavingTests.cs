namespace Weir.Tests.Processes.Interleavings;

/// <summary>
/// Three workers, three calls, one death at any point of any order of events: every call has its one ending, it is lost only if
/// it had started and had not finished, and runs twice only if it may.
/// </summary>
public sealed class InterleavingTests
{
    [Theory]
    [InlineData(true, true, 3, 0, 1, 0)]
    [InlineData(true, true, 1, -1, 2, 0)]
    [InlineData(true, true, 1, 1, 0, 1)]
    [InlineData(true, false, 0, 2, 0, 1)]
    [InlineData(false, false, 0, 1, 0, 1)]
    [InlineData(false, true, 3, -1, 0, 0)]
    public void In_every_order_every_call_has_its_one_ending(bool hasPage, bool isKnown, int minimum, int idempotent, int pauses, int leavings)
    {
        var explorer = new Explorer(new ModelSetup
        {
            HasPage = hasPage,
            IsKnown = isKnown,
            MinWorkers = minimum,
            Idempotent = idempotent,
            Pauses = pauses,
            Leavings = leavings,
        });
        explorer.Walk();
        TestContext.Current.TestOutputHelper?.WriteLine($"{explorer.States} states, {explorer.Ends} ends");

        // It did walk.
        Assert.True(explorer.States > 10_000, $"{explorer.States} states");
        Assert.True(explorer.Ends > 100, $"{explorer.Ends} ends");
    }
}
