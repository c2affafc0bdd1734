using Weir.Protocol.Frames;

namespace Weir.Protocol.Flow;

/// <summary>
/// The bytes that one side of a stream may still send. An item may be sent while any credit is left, so one item may
/// exceed the credit; the next one waits until the receiver has granted more than the excess.
/// </summary>
/// <remarks>Not thread-safe: the owner of the stream guards it.</remarks>
internal struct ItemCredit
{
    /// <summary>The most that may be outstanding; a grant beyond it is a violation. 1 GB.</summary>
    public const long MostOutstanding = 1L << 30;

    /// <summary>Starts with the credit that came with the call.</summary>
    /// <param name="initial">In bytes, at most <see cref="MostOutstanding"/>.</param>
    /// <exception cref="FrameException">It is more than that.</exception>
    public ItemCredit(uint initial) => Grant(initial);

    /// <summary>What is left, in bytes; below zero by at most one item.</summary>
    public long Available { get; private set; }

    /// <summary>Whether the next item may be sent.</summary>
    public readonly bool CanSend => Available > 0;

    /// <summary>What an item costs: its whole frame, so that empty items are not free.</summary>
    /// <param name="payloadLength">The item's bytes.</param>
    public static int CostOf(int payloadLength) => checked(payloadLength + FrameHeader.Size);

    /// <summary>Takes the cost of an item, if the item may be sent.</summary>
    /// <param name="payloadLength">The item's bytes.</param>
    public bool TryTake(int payloadLength)
    {
        if (Available <= 0)
        {
            return false;
        }

        Available -= CostOf(payloadLength);
        return true;
    }

    /// <summary>Adds what the receiver granted.</summary>
    /// <param name="bytes">In bytes.</param>
    /// <exception cref="FrameException">More would be outstanding than <see cref="MostOutstanding"/>.</exception>
    public void Grant(uint bytes)
    {
        if (Available + bytes > MostOutstanding)
        {
            throw new FrameException(FrameError.CreditOverflow, $"{Available} and {bytes} bytes of credit are more than {MostOutstanding}");
        }

        Available += bytes;
    }
}
