using Weir.Protocol.Flow;
using Weir.Protocol.Frames;

namespace Weir.Tests.Protocol;

public sealed class FlowTests
{
    [Fact]
    public void One_item_may_overdraw_and_the_next_waits_until_more_is_granted_than_was_overdrawn()
    {
        var credit = new ItemCredit(100);
        Assert.True(credit.TryTake(1000));
        Assert.Equal(100 - 1016, credit.Available);
        Assert.False(credit.TryTake(0));
        credit.Grant(916);
        Assert.False(credit.CanSend);
        credit.Grant(1);
        Assert.True(credit.TryTake(0));
    }

    [Fact]
    public void Empty_items_are_not_free()
    {
        var credit = new ItemCredit(160);
        for (var i = 0; i < 10; i++)
            Assert.True(credit.TryTake(0));
        Assert.False(credit.TryTake(0));
    }

    [Fact]
    public void Without_credit_nothing_is_sent() => Assert.False(new ItemCredit(0).TryTake(0));

    [Fact]
    public void Excessive_credit_is_a_violation()
    {
        var credit = new ItemCredit(1u << 30);
        Assert.Equal(FrameError.CreditOverflow, Assert.Throws<FrameException>(() => credit.Grant(1)).Error);
        Assert.Equal(FrameError.CreditOverflow, Assert.Throws<FrameException>(() => new ItemCredit(uint.MaxValue)).Error);
    }

    [Fact]
    public void Call_ids_have_no_gaps()
    {
        var sequence = default(SequenceCheck);
        sequence.Accept(1);
        sequence.Accept(2);
        Assert.Equal(FrameError.SequenceGap, Assert.Throws<FrameException>(() => sequence.Accept(4)).Error);
        Assert.Equal(FrameError.SequenceGap, Assert.Throws<FrameException>(() => sequence.Accept(2)).Error);
        Assert.Equal(2ul, sequence.Last);
    }
}
