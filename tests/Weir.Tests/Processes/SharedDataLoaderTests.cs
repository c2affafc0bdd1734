using Microsoft.Extensions.Logging;
using Weir.Execution.Pools.Capacity;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Shared;
using Weir.Execution.Processes;
using Weir.Tests.Execution;

namespace Weir.Tests.Processes;

/// <summary>Shared data and the memory that is left for it.</summary>
public sealed class SharedDataLoaderTests : IDisposable
{
    private static readonly string[] Pools = ["b", "a"];

    private readonly string _path = Path.GetTempFileName();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => File.Delete(_path);

    [Fact]
    public async Task What_is_longer_than_the_memory_that_is_left_is_not_read()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Sealed memory is of Linux.");
        var source = new CountedStream(new byte[3 << 20]);
        var refused = await Assert.ThrowsAsync<LaunchException>(() => SharedDataLoader.LoadAsync("model", Source(source), isPortable: false, static () => (3 << 20) - 1, Token));
        Assert.Equal(WeirCodes.WorkerStartRefused, refused.Code);
        Assert.StartsWith("The shared data 'model' is 3 MB (a stream), and 2 MB of memory are free", refused.Message, StringComparison.Ordinal);
        Assert.Equal(0, source.Reads);

        using var fitting = await SharedDataLoader.LoadAsync("model", Source(new CountedStream(new byte[3 << 20])), isPortable: false, static () => 3 << 20, Token);
        Assert.Equal(3 << 20, fitting.Length);
    }

    [Fact]
    public async Task Workers_that_map_the_file_need_no_memory_for_a_copy()
    {
        File.WriteAllBytes(_path, new byte[10]);
        using var file = await SharedDataLoader.LoadAsync("model", new SharedDataSource(_path, null), isPortable: true, static () => 0, Token);
        Assert.Equal((10, _path), (file.Length, file.Path));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_symbolic_link_is_as_long_as_its_file(bool isPortable)
    {
        var link = _path + ".link";
        File.WriteAllBytes(_path, new byte[5_000]);
        File.CreateSymbolicLink(link, _path);
        try
        {
            var source = new SharedDataSource(link, null);
            using var file = await SharedDataLoader.LoadAsync("model", source, isPortable, static () => null, Token);
            Assert.Equal((5_000, 5_000), (file.Length, source.KnownLength()));
        }
        finally
        {
            File.Delete(link);
        }
    }

    [Fact]
    public void Pools_that_share_a_file_which_does_not_fit_are_named_at_the_start_and_it_counts_once()
    {
        File.WriteAllBytes(_path, new byte[2 << 20]);
        var (log, asked) = (new RecordedLoggers(), 0);
        Report(2 << 20);
        Report(null);
        Assert.Equal((2, 0), (asked, log.Records.Count));
        Report((2 << 20) - 1);
        var record = Assert.Single(log.Records);
        Assert.Equal(LogLevel.Warning, record.Level);
        Assert.StartsWith("The files that the pools a, b share have 2 MB, counted once and not for each worker, and 1 MB of memory are free", record.Text, StringComparison.Ordinal);

        // Where no pool shares a file, nothing is read.
        HostMemory.ReportShared(log.CreateLogger("Weir.Workers"), [("c", new PoolOptions())], () => throw new InvalidOperationException());

        void Report(long? free)
        {
            var options = Pools.Select(pool =>
            {
                var one = new PoolOptions { MaxWorkers = 8 };
                one.AddSharedData("model", _path);
                return (pool, one);
            });
            HostMemory.ReportShared(log.CreateLogger("Weir.Workers"), options, () =>
            {
                asked++;
                return free;
            });
        }
    }

    private static SharedDataSource Source(Stream stream) => new(null, _ => new ValueTask<Stream>(stream));

    private sealed class CountedStream(byte[] bytes) : MemoryStream(bytes)
    {
        public int Reads { get; private set; }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Reads++;
            return base.ReadAsync(buffer, cancellationToken);
        }
    }
}
