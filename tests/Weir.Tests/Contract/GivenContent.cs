using Weir.Runtime;

namespace Weir.Tests.Contract;

/// <summary>Content whose pieces are known before; then it ends, or fails.</summary>
internal sealed class GivenContent(params byte[][] pieces) : ItemReader
{
    private int _next;

    public Exception? Failure { get; init; }

    public int Asked { get; private set; }

    public int Released { get; private set; }

    public int Stopped { get; private set; }

    public override string Source => "body";

    public override ReadOnlyMemory<byte> Current => Released < _next ? pieces[_next - 1] : throw new InvalidOperationException("the piece was released");

    public override ResultEncoding CurrentEncoding => ResultEncoding.Raw;

    public override ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Asked++;
        Assert.Equal(Released, _next);
        if (_next < pieces.Length)
        {
            _next++;
            return new ValueTask<bool>(true);
        }

        return Failure is null ? new ValueTask<bool>(false) : ValueTask.FromException<bool>(Failure);
    }

    public override void Release() => Released++;

    public override ValueTask StopAsync()
    {
        Stopped++;
        return default;
    }
}
