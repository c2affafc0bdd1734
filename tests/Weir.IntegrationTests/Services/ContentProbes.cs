using System.IO.Pipelines;
using System.Security.Cryptography;

namespace Weir.IntegrationTests.Services;

/// <summary>What an operation may do with content of any length; the same contract inline, on the lane and in a worker.</summary>
public interface IContentProbe
{
    /// <summary>The length and the hash of what arrived.</summary>
    Task<string> Hash(Stream content, CancellationToken ct = default);

    Task<string> HashPipe(PipeReader content, string label, CancellationToken ct = default);

    /// <summary>Reads a part of the content and returns.</summary>
    Task<long> Start(Stream content, int count, CancellationToken ct = default);

    /// <summary>Reads a part of the content, then waits without end.</summary>
    Task<long> StartAndWait(Stream content, int count, CancellationToken ct = default);

    /// <summary>Reads until reading fails, and how much came before; -1 where it does not fail.</summary>
    Task<long> CountBeforeFailure(Stream content, CancellationToken ct = default);

    Task<Stream> Make(long length, bool seekable, CancellationToken ct = default);

    Task<PipeReader> MakePipe(long length, CancellationToken ct = default);

    /// <summary>Fails after so many bytes.</summary>
    Task<Stream> Break(long after, CancellationToken ct = default);

    /// <summary>Returns what it takes, while it arrives.</summary>
    Task<Stream> Echo(Stream content, CancellationToken ct = default);

    Task<Stream> Nothing(CancellationToken ct = default);
}

[Service]
public interface IInlineContents : IContentProbe;

[Service]
public interface ILaneContents : IContentProbe;

[Service]
public interface IIsolatedContents : IContentProbe;

[Service]
public interface IIsolatedBlockingContents : IContentProbe;

public abstract class ContentProbe : IContentProbe
{
    public async Task<string> Hash(Stream content, CancellationToken ct = default)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var buffer = new byte[10_000];
        var length = 0L;
        for (int read; (read = await content.ReadAsync(buffer, ct)) > 0; length += read)
        {
            hash.AppendData(buffer.AsSpan(0, read));
        }

        return $"{length} {Convert.ToHexString(hash.GetHashAndReset())}";
    }

    public async Task<string> HashPipe(PipeReader content, string label, CancellationToken ct = default) => $"{label} {await Hash(content.AsStream(), ct)}";

    public async Task<long> Start(Stream content, int count, CancellationToken ct = default)
    {
        await content.ReadExactlyAsync(new byte[count], ct);
        return count;
    }

    // Without the token, as people forget it: the content must end with the call all the same.
    public async Task<long> StartAndWait(Stream content, int count, CancellationToken ct = default)
    {
        await content.ReadExactlyAsync(new byte[count], CancellationToken.None);
        while (await content.ReadAsync(new byte[100], CancellationToken.None) > 0)
        {
        }

        return count;
    }

    public async Task<long> CountBeforeFailure(Stream content, CancellationToken ct = default)
    {
        var length = 0L;
        try
        {
            var buffer = new byte[1000];
            for (int read; (read = await content.ReadAsync(buffer, ct)) > 0;)
            {
                length += read;
            }
        }
        catch (Exception failure) when (failure is not OperationCanceledException)
        {
            return length;
        }

        return -1;
    }

    public Task<Stream> Make(long length, bool seekable, CancellationToken ct = default) => Task.FromResult<Stream>(new Pattern(length, seekable));

    public Task<PipeReader> MakePipe(long length, CancellationToken ct = default) => Task.FromResult(PipeReader.Create(new Pattern(length, seekable: false)));

    public Task<Stream> Break(long after, CancellationToken ct = default) => Task.FromResult<Stream>(new Pattern(after, seekable: false) { Fails = true });

    public Task<Stream> Echo(Stream content, CancellationToken ct = default) => Task.FromResult(content);

    public Task<Stream> Nothing(CancellationToken ct = default) => Task.FromResult<Stream>(null!);
}

[Service]
public sealed class InlineContents : ContentProbe, IInlineContents;

[Isolated("probe")]
public sealed class IsolatedContents : ContentProbe, IIsolatedContents;

[Service(typeof(ILaneContents)), Blocking]
public sealed class LaneContents : BlockingContentProbe;

[Service(typeof(IIsolatedBlockingContents)), Isolated("probe")]
public sealed class IsolatedBlockingContents : BlockingContentProbe;

/// <summary>The same for code that blocks.</summary>
public abstract class BlockingContentProbe
{
    public string Hash(Stream content)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var buffer = new byte[10_000];
        var length = 0L;
        for (int read; (read = content.Read(buffer, 0, buffer.Length)) > 0; length += read)
        {
            hash.AppendData(buffer.AsSpan(0, read));
        }

        return $"{length} {Convert.ToHexString(hash.GetHashAndReset())}";
    }

    public string HashPipe(PipeReader content, string label) => $"{label} {Hash(content.AsStream())}";

    public long Start(Stream content, int count)
    {
        content.ReadExactly(new byte[count]);
        return count;
    }

    public long StartAndWait(Stream content, int count, CancellationToken ct)
    {
        content.ReadExactly(new byte[count]);
        while (content.Read(new byte[100], 0, 100) > 0)
        {
        }

        ct.ThrowIfCancellationRequested();
        return count;
    }

    public long CountBeforeFailure(Stream content)
    {
        var length = 0L;
        try
        {
            var buffer = new byte[1000];
            for (int read; (read = content.Read(buffer, 0, buffer.Length)) > 0;)
            {
                length += read;
            }
        }
        catch (Exception failure) when (failure is not OperationCanceledException)
        {
            return length;
        }

        return -1;
    }

    public Stream Make(long length, bool seekable) => new Pattern(length, seekable);

    public PipeReader MakePipe(long length) => PipeReader.Create(new Pattern(length, seekable: false));

    public Stream Break(long after) => new Pattern(after, seekable: false) { Fails = true };

    public Stream Echo(Stream content) => content;

    public Stream Nothing() => null!;
}
