namespace Weir.Cli.Tests.Fetch;

/// <summary>Calls a function with all that was written so far, at each write.</summary>
internal sealed class WatchedOutput(Action<byte[]> written) : MemoryStream
{
    public override void Write(ReadOnlySpan<byte> buffer) => Write(buffer.ToArray(), 0, buffer.Length);

    public override void Write(byte[] buffer, int offset, int count)
    {
        base.Write(buffer, offset, count);
        written(ToArray());
    }
}
