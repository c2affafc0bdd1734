using Microsoft.AspNetCore.Mvc;

namespace Weir.IntegrationTests.Services;

/// <summary>Results that are bytes of a known kind.</summary>
[Service]
public interface IMedia
{
    [Get, Produces("image/png")]
    Task<byte[]> Image(CancellationToken ct = default);

    [Get, MediaType("image/png")]
    Task<byte[]?> Maybe(bool isNull, CancellationToken ct = default);

    [Get, MediaType("text/csv; charset=utf-8")]
    IAsyncEnumerable<ReadOnlyMemory<byte>> Table(CancellationToken ct = default);

    [Get, MediaType("application/pdf")]
    Task<Stream> Document(CancellationToken ct = default);

    [Get, MediaType("image/png")]
    Task<byte[]> Chosen(CancellationToken ct = default);
}

[Service(typeof(IMedia))]
public sealed class Media
{
    [Isolated("probe")]
    public byte[] Image() => [1, 2, 3];

    public byte[]? Maybe(bool isNull) => isNull ? null : [4];

    public async IAsyncEnumerable<ReadOnlyMemory<byte>> Table()
    {
        await Task.Yield();
        yield return "a,b\n"u8.ToArray();
        yield return "c,d\n"u8.ToArray();
    }

    public Stream Document() => new MemoryStream("%PDF"u8.ToArray());

    public byte[] Chosen(OperationContext context)
    {
        context.Headers["Content-Type"] = "image/webp";
        return [5];
    }
}
