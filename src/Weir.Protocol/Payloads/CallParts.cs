using System.Buffers.Binary;

namespace Weir.Protocol;

/// <summary>The argument parts of a checked CALL, in order; enumerate it with <c>foreach</c>.</summary>
public ref struct CallParts
{
    private ReadOnlySpan<byte> _rest;
    private int _left;

    internal CallParts(ReadOnlySpan<byte> bytes, int count)
    {
        _rest = bytes;
        _left = Count = count;
        Current = default;
    }

    /// <summary>How many parts there are.</summary>
    public int Count { get; }

    /// <summary>The part <see cref="MoveNext"/> found.</summary>
    public CallPart Current { get; private set; }

    /// <summary>An enumeration of its own.</summary>
    public readonly CallParts GetEnumerator() => this;

    /// <summary>Goes to the next part.</summary>
    public bool MoveNext()
    {
        if (_left == 0)
            return false;

        var length = (int)BinaryPrimitives.ReadUInt32LittleEndian(_rest[4..]);
        Current = new CallPart((PartKind)_rest[0], BinaryPrimitives.ReadUInt16LittleEndian(_rest[2..]), _rest.Slice(CallPayload.PartHeaderSize, length));
        _rest = _rest[(CallPayload.PartHeaderSize + length)..];
        _left--;
        return true;
    }
}

/// <summary>One argument part.</summary>
public readonly ref struct CallPart
{
    internal CallPart(PartKind kind, int parameter, ReadOnlySpan<byte> bytes)
    {
        Kind = kind;
        Parameter = parameter;
        Bytes = bytes;
    }

    /// <summary>What the part holds.</summary>
    public PartKind Kind { get; }

    /// <summary>For raw bytes: the index of the parameter among all parameters of the operation, from 0.</summary>
    public int Parameter { get; }

    /// <summary>The part's bytes.</summary>
    public ReadOnlySpan<byte> Bytes { get; }
}
