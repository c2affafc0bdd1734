using System.Buffers;
using Weir.Runtime;

namespace Weir.AspNetCore.RequestStreams;

/// <summary>
/// Takes a body as it arrives, in pieces of 1 byte to 64 KB that mean nothing by themselves. Each is copied to the one buffer of the request, so that code which
/// keeps a piece does not keep the body from the server.
/// </summary>
/// <param name="parameter">The parameter's name, for binding errors.</param>
internal sealed class PieceSplitter(string parameter) : BodySplitter
{
    private readonly byte[] _piece = GC.AllocateUninitializedArray<byte>(ContentItems.PieceSize);
    private int _length;

    internal override ReadOnlyMemory<byte> Current => _piece.AsMemory(0, _length);

    internal override ResultEncoding Encoding => ResultEncoding.Raw;

    internal override bool IsCopied => true;

    internal override string Awaited => "byte of the body";

    internal override bool TryTake(ref ReadOnlySequence<byte> bytes)
    {
        _length = (int)Math.Min(bytes.Length, _piece.Length);
        bytes.Slice(0, _length).CopyTo(_piece);
        bytes = bytes.Slice(_length);
        return _length > 0;
    }

    internal override bool TryEnd() => false;

    internal override BindingException Malformed(string expected) => new([new BindingError(parameter, "body", BindingErrorReason.Malformed, expected)]);

    public override void Dispose()
    {
    }
}
