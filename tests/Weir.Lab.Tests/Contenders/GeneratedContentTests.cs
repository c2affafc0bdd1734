using System.Globalization;
using System.Security.Cryptography;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Tests.Contenders;

public sealed class GeneratedContentTests
{
    private const int Length = 2_500_000;

    [Fact]
    public void Its_bytes_follow_from_their_positions()
    {
        var bytes = Read(new GeneratedContent(Length));
        Assert.Equal(Length, bytes.Length);
        Assert.True(GeneratedContent.Matches(0, bytes));
        Assert.True(GeneratedContent.Matches(1_000_000, bytes.AsSpan(1_000_000)));
        Assert.False(GeneratedContent.Matches(1, bytes));
        bytes[^1]++;
        Assert.False(GeneratedContent.Matches(0, bytes));
        bytes[^1]--;
        Assert.Equal(string.Create(CultureInfo.InvariantCulture, $"{Length} {Convert.ToHexString(SHA256.HashData(bytes))}"), GeneratedContent.HashOf(Length));
    }

    [Fact]
    public void It_ends_or_fails_where_it_is_cut()
    {
        Assert.Equal(100, Read(new GeneratedContent(Length) { Until = 100, IsSized = true }).Length);
        Assert.Throws<IOException>(() => Read(new GeneratedContent(Length) { Until = 100, Fails = true }));
    }

    [Fact]
    public void It_continues_from_a_position()
    {
        using var content = new GeneratedContent(Length) { IsSized = true };
        content.Position = Length - 10;
        Assert.True(GeneratedContent.Matches(Length - 10, Read(content)));
    }

    private static byte[] Read(GeneratedContent content)
    {
        using var all = new MemoryStream();
        content.CopyTo(all);
        return all.ToArray();
    }
}
