extern alias worker;

using System.Buffers;
using System.Runtime.InteropServices;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Protocol.Payloads;
using SharedDataViews = worker::Weir.Worker.Start.SharedDataViews;

namespace Weir.Tests.Worker;

/// <summary>Shared data as a worker sees it, above and below the length of one memory: 4 bytes here.</summary>
public sealed unsafe class SharedDataViewsTests : IDisposable
{
    private const int MostSegment = 4;

    private readonly List<nint> _mapped = [];

    public void Dispose() => _mapped.ForEach(static one => NativeMemory.Free((void*)one));

    [Theory]
    [InlineData(0, new int[0])]
    [InlineData(1, new[] { 1 })]
    [InlineData(4, new[] { 4 })]
    [InlineData(5, new[] { 4, 1 })]
    [InlineData(8, new[] { 4, 4 })]
    [InlineData(11, new[] { 4, 4, 3 })]
    public void Data_longer_than_one_memory_comes_in_segments_that_join(int length, int[] segments)
    {
        var startup = Startup(new SharedDataEntry("model", length, 1, ""));
        var sequence = startup.SharedDataSequence("model");
        Assert.Equal(Content(length), sequence.ToArray());
        Assert.Equal(length, sequence.Length);
        var found = new List<int>();
        foreach (var segment in sequence)
        {
            found.Add(segment.Length);
        }

        Assert.Equal(segments, length == 0 ? [] : found);

        // Across each border.
        for (var start = 0; start + 2 <= length; start++)
        {
            Assert.Equal(Content(length)[start..(start + 2)], sequence.Slice(start, 2).ToArray());
        }

        if (segments.Length <= 1)
        {
            Assert.Equal(Content(length), startup.SharedData("model").ToArray());
        }
        else
        {
            var refused = Assert.Throws<NotSupportedException>(() => startup.SharedData("model"));
            Assert.Contains($"'model' of pool 'scoring' has {length} bytes", refused.Message, StringComparison.Ordinal);
            Assert.Contains("SharedDataSequence(\"model\")", refused.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Each_is_mapped_once_by_its_first_use_from_its_own_descriptor()
    {
        var startup = Startup(new("first", 2, 1, ""), new("file", 0, 1, "/no/such/file"), new("second", 3, 7, ""));
        Assert.Empty(_mapped);
        Assert.Equal([101, 102, 103], startup.SharedData("SECOND").ToArray());
        Assert.Equal([1, 2], startup.SharedData("first").ToArray());
        Assert.Equal([101, 102, 103], startup.SharedData("second").ToArray());
        Assert.Equal(2, _mapped.Count);
    }

    [Fact]
    public void What_the_pool_does_not_have_is_named_with_what_it_has()
    {
        var refused = Assert.Throws<InvalidOperationException>(() => Startup(new("first", 2, 1, ""), new("second", 3, 7, "")).SharedData("third"));
        Assert.Equal("Pool 'scoring' has no shared data 'third'; it has: first, second.", refused.Message);
    }

    private static byte[] Content(int length, int first = 1) => [.. Enumerable.Range(first, length).Select(static one => (byte)one)];

    // The bytes of the descriptor with index n begin with 100 n + 1.
    private WorkerStartup Startup(params SharedDataEntry[] entries) => new()
    {
        Pool = "scoring",
        Configuration = new ConfigurationBuilder().Build(),
        LoggerFactory = NullLoggerFactory.Instance,
        SharedDataReader = new SharedDataViews("scoring", entries, Map, MostSegment).Read,
    };

    private nint Map(int index, long length)
    {
        var start = (nint)NativeMemory.Alloc((nuint)length);
        _mapped.Add(start);
        Content((int)length, (100 * index) + 1).CopyTo(new Span<byte>((void*)start, (int)length));
        return start;
    }
}
