namespace Weir.AspNetCore.Decompression;

/// <summary>The decompressed body. Passes on nothing that was not part of the compressed one, and has one error for data of every coding that is broken.</summary>
/// <param name="data">Decompresses. Disposed with this stream.</param>
/// <param name="compressed">What it reads.</param>
internal sealed class DecompressedBody(Stream data, CompressedBody compressed) : ForwardStream
{
    public override int Read(Span<byte> buffer)
    {
        if (buffer.IsEmpty)
        {
            return 0;
        }

        try
        {
            return Check(data.Read(buffer));
        }
        catch (Exception error) when (IsBroken(error))
        {
            throw compressed.IsBroken(error);
        }
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (buffer.IsEmpty)
        {
            // A stream of Brotli would read on, also at the end, while it still has data to give out.
            return 0;
        }

        try
        {
            return Check(await data.ReadAsync(buffer, cancellationToken));
        }
        catch (Exception error) when (IsBroken(error))
        {
            throw compressed.IsBroken(error);
        }
    }

    public override async ValueTask DisposeAsync()
    {
        await data.DisposeAsync();
        await base.DisposeAsync();
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            data.Dispose();
        }

        base.Dispose(disposing);
    }

    // Each coding of .NET throws its own.
    private static bool IsBroken(Exception error) => error is InvalidDataException or InvalidOperationException;

    private int Check(int read) => read > 0 && compressed.IsPastEnd ? throw compressed.IsCut() : read;
}
