using System.Buffers.Binary;

namespace Weir.Protocol.Payloads;

/// <summary>The argument parts of a checked CALL, in order; enumerate it with <c>foreach</c>.</summary>
internal struct CallParts
{
    private ReadOnlyMemory<byte> _rest;
    private int _left;

    internal CallParts(ReadOnlyMemory<byte> bytes, int count)
    {
        _rest = bytes;
        _left = Count = count;
        Current = default;
    }

    /// <summary>How many parts there are.</summary>
    public int Count { get; }

    /// <summary>The part <see cref="MoveNext"/> found.</summary>
    public CallPart Current { get; private set; }

    /// <summary>Starts an enumeration.</summary>
    public readonly CallParts GetEnumerator() => this;

    /// <summary>Goes to the next part.</summary>
    public bool MoveNext()
    {
        if (_left == 0)
        {
            return false;
        }

        var header = _rest.Span;
        var length = (int)BinaryPrimitives.ReadUInt32LittleEndian(header[4..]);
        Current = new CallPart((PartKind)header[0], BinaryPrimitives.ReadUInt16LittleEndian(header[2..]), _rest.Slice(CallPayload.PartHeaderSize, length));
        _rest = _rest[(CallPayload.PartHeaderSize + length)..];
        _left--;
        return true;
    }
}

/// <summary>One argument part.</summary>
internal readonly struct CallPart
{
    internal CallPart(PartKind kind, int parameter, ReadOnlyMemory<byte> bytes)
    {
        Kind = kind;
        Parameter = parameter;
        Bytes = bytes;
    }

    /// <summary>What the part holds.</summary>
    public PartKind Kind { get; }

    /// <summary>For raw bytes: the parameter's position in <see cref="Operation.Parameters"/>. Not checked here.</summary>
    public int Parameter { get; }

    /// <summary>The part's bytes; valid no longer than the payload.</summary>
    public ReadOnlyMemory<byte> Bytes { get; }
}
