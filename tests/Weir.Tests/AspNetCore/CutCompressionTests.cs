using System.IO.Compression;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.RequestDecompression;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Weir.Tests.AspNetCore;

/// <summary>A body that ends inside its content coding is refused, wherever it is cut.</summary>
public sealed class CutCompressionTests
{
    private static readonly string[] Codings = ["gzip", "deflate", "br"];

    private static readonly byte[] Data = [.. Enumerable.Range(0, 3000).SelectMany(static number => System.Text.Encoding.ASCII.GetBytes($"{number * 7919 % 10007}\n"))];

    public static TheoryData<string, int> Readers()
    {
        var readers = new TheoryData<string, int>();
        foreach (var coding in Codings)
        {
            foreach (var size in (int[])[1, 100, 1 << 20])
            {
                readers.Add(coding, size);
            }
        }

        return readers;
    }

    [Theory]
    [MemberData(nameof(Readers))]
    public async Task A_whole_body_is_read(string coding, int size)
    {
        Assert.Equal(Data, await ReadAsync(coding, Pack(coding, Data), size, Data.Length));
        Assert.Equal(Data, Read(coding, Pack(coding, Data), size));
        Assert.Empty(await ReadAsync(coding, [], size, 0));
        Assert.Empty(await ReadAsync(coding, Pack(coding, []), size, 0));
    }

    [Theory]
    [InlineData("gzip")]
    [InlineData("deflate")]
    [InlineData("br")]
    public async Task A_cut_at_any_byte_is_refused_and_gives_no_byte_that_was_not_sent(string coding)
    {
        var packed = Pack(coding, Data);
        for (var length = 1; length < packed.Length; length++)
        {
            var size = length % 3 == 0 ? 7 : 4096;
            var read = new List<byte>();
            var refused = await Assert.ThrowsAnyAsync<Exception>(() => ReadAsync(coding, packed[..length], size, Data.Length, read));
            Assert.True(refused is BadHttpRequestException { StatusCode: 400 } or InvalidDataException or InvalidOperationException, $"{length}: {refused}");
            Assert.True(Data.AsSpan(0, read.Count).SequenceEqual(read.ToArray()), $"{length}: other bytes");
        }
    }

    [Fact]
    public async Task Members_of_gzip_one_after_another_are_one_body_and_a_cut_in_the_second_is_refused()
    {
        var one = Pack("gzip", Data);
        byte[] both = [.. one, .. one];
        Assert.Equal(2 * Data.Length, (await ReadAsync("gzip", both, 4096, 2 * Data.Length)).Count);
        for (var length = one.Length + 1; length < both.Length; length++)
        {
            var cut = both[..length];
            var refused = await Assert.ThrowsAnyAsync<Exception>(() => ReadAsync("gzip", cut, 4096, 2 * Data.Length));
            Assert.True(refused is BadHttpRequestException or InvalidDataException, $"{length}: {refused}");
        }
    }

    [Fact]
    public void A_provider_of_the_application_stays_as_it_is()
    {
        var own = new OwnProvider();
        using var services = Services(options => options.DecompressionProviders["gzip"] = own);
        Assert.Same(own, services.GetRequiredService<IOptions<RequestDecompressionOptions>>().Value.DecompressionProviders["gzip"]);
    }

    private static byte[] Pack(string coding, byte[] data)
    {
        using var packed = new MemoryStream();
        using (Stream stream = coding switch
        {
            "gzip" => new GZipStream(packed, CompressionLevel.Optimal, leaveOpen: true),
            "deflate" => new ZLibStream(packed, CompressionLevel.Optimal, leaveOpen: true),
            _ => new BrotliStream(packed, CompressionLevel.Optimal, leaveOpen: true),
        })
        {
            stream.Write(data);
        }

        // .NET writes nothing for no data.
        return packed.ToArray();
    }

    private static Task<List<byte>> ReadAsync(string coding, byte[] packed, int size, int most) => ReadAsync(coding, packed, size, most, []);

    private static async Task<List<byte>> ReadAsync(string coding, byte[] packed, int size, int most, List<byte> into)
    {
        await using var stream = Open(coding, packed);
        var buffer = new byte[size];
        for (int read; (read = await stream.ReadAsync(buffer, TestContext.Current.CancellationToken)) > 0;)
        {
            into.AddRange(buffer.AsSpan(0, read));
            Assert.InRange(into.Count, 0, most);
        }

        return into;
    }

    private static List<byte> Read(string coding, byte[] packed, int size)
    {
        using var stream = Open(coding, packed);
        var (into, buffer) = (new List<byte>(), new byte[size]);
        for (int read; (read = stream.Read(buffer)) > 0;)
        {
            into.AddRange(buffer.AsSpan(0, read));
        }

        return into;
    }

    private static Stream Open(string coding, byte[] packed)
    {
        using var services = Services(static _ => { });
        return services.GetRequiredService<IOptions<RequestDecompressionOptions>>().Value.DecompressionProviders[coding].GetDecompressionStream(new MemoryStream(packed));
    }

    private static ServiceProvider Services(Action<RequestDecompressionOptions> options) =>
        new ServiceCollection().AddWeirServer().AddRequestDecompression(options).BuildServiceProvider();

    private sealed class OwnProvider : IDecompressionProvider
    {
        public Stream GetDecompressionStream(Stream stream) => stream;
    }
}
