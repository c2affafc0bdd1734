using System.Buffers.Binary;
using Weir.Protocol.Frames;
using Weir.Runtime;

namespace Weir.Protocol.Flow;

/// <summary>
/// The items of one stream between the code that adds them and the code that takes them, bounded by the credit that is granted for
/// them. They are stored one after the other in two buffers: one is filled while the other is emptied, so that an item that was taken
/// stays where it is until the next is asked for.
/// </summary>
/// <remarks>Not thread-safe: the owner of the stream guards it. The item that was taken may be read unguarded.</remarks>
internal sealed class ItemQueue : IDisposable
{
    /// <summary>How much may wait here, in bytes of whole frames: 256 KB; one item may exceed it.</summary>
    public const int Window = 256 * 1024;

    // Credit is granted in quarters of the window: often enough that the sender does not wait, seldom enough that it costs little.
    private const int LeastGrant = Window / 4;
    private const int LargestKept = 1 << 20;

    // In front of each item: its length, and how it is encoded.
    private const int PrefixSize = 5;

    private PayloadWriter _filling = new();
    private PayloadWriter _taking = new();
    private int _taken;
    private ItemCredit _credit;
    private int _ungranted;
    private bool _hasCurrent;
    private bool _isStopped;

    /// <summary>Creates an empty queue.</summary>
    /// <param name="isOpen">Whether the sender has the whole window from the beginning; otherwise it gets it by the first grant.</param>
    public ItemQueue(bool isOpen)
    {
        _credit = new ItemCredit(isOpen ? Window : 0u);
        _ungranted = isOpen ? 0 : Window;
    }

    /// <summary>The item that was taken last; valid until the next <see cref="PassOn"/> or <see cref="TryTake"/>, or <see cref="Dispose"/>.</summary>
    public ReadOnlyMemory<byte> Current { get; private set; }

    /// <summary>How it is encoded.</summary>
    public ResultEncoding CurrentEncoding { get; private set; }

    /// <summary>Whether the sender may send no more before something is granted.</summary>
    public bool IsFull => !_credit.CanSend;

    /// <summary>Copies an item to the end; drops it after <see cref="Stop"/>.</summary>
    /// <param name="item">An ITEM frame.</param>
    /// <returns><c>false</c> when its sender had no credit for it.</returns>
    public bool TryAdd(in Frame item)
    {
        if (!_credit.TryTake(item.Payload.Length))
        {
            return false;
        }

        if (!_isStopped)
        {
            var prefix = _filling.GetSpan(PrefixSize);
            BinaryPrimitives.WriteInt32LittleEndian(prefix, item.Payload.Length);
            prefix[PrefixSize - 1] = (byte)((item.Flags & FrameFlags.Raw) != 0 ? ResultEncoding.Raw : ResultEncoding.Json);
            _filling.Advance(PrefixSize);
            _filling.Write(item.Payload);
        }

        return true;
    }

    /// <summary>Moves past the current item, which frees its share of the window.</summary>
    /// <returns>What to grant the sender now, in bytes; the queue already counts it as granted. 0 for nothing yet.</returns>
    public uint PassOn()
    {
        if (_hasCurrent)
        {
            _hasCurrent = false;
            _ungranted += ItemCredit.CostOf(Current.Length);
        }

        if (_ungranted < LeastGrant)
        {
            return 0;
        }

        var grant = (uint)_ungranted;
        _ungranted = 0;
        _credit.Grant(grant);
        return grant;
    }

    /// <summary>Takes the next item as the current one; called after <see cref="PassOn"/>.</summary>
    /// <returns><c>false</c> when none waits.</returns>
    public bool TryTake()
    {
        if (_taken == _taking.Length)
        {
            if (_filling.Length == 0)
            {
                return false;
            }

            if (_taking.Length > LargestKept)
            {
                _taking.Dispose();
            }

            _taking.Clear();
            (_taking, _filling) = (_filling, _taking);
            _taken = 0;
        }

        var prefix = _taking.WrittenSpan[_taken..];
        var length = BinaryPrimitives.ReadInt32LittleEndian(prefix);
        CurrentEncoding = (ResultEncoding)prefix[PrefixSize - 1];
        Current = _taking.WrittenMemory.Slice(_taken + PrefixSize, length);
        _taken += PrefixSize + length;
        _hasCurrent = true;
        return true;
    }

    /// <summary>Drops the items that wait and those that are added from now on. The current item stays.</summary>
    public void Stop()
    {
        _isStopped = true;
        _filling.Dispose();
        _taking.Truncate(_taken);
    }

    /// <summary>Stops, and gives all memory back, including that of the current item.</summary>
    public void Dispose()
    {
        Stop();
        Current = default;
        _taking.Dispose();
        _taken = 0;
    }
}
