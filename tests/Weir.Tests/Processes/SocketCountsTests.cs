using Weir.Execution.Machine;

namespace Weir.Tests.Processes;

public sealed class SocketCountsTests
{
    private const string Sockets = "sockets: used 290\nTCP: inuse 12 orphan 1 tw 345 alloc 20 mem 2\nUDP: inuse 3 mem 1\n";
    private const string Sockets6 = "TCP6: inuse 30\nUDP6: inuse 1\n";
    private const string Statistics = "TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 0 17 19\nIpExt: InNoRoutes ListenOverflows\nIpExt: 1 2\n";

    [Fact]
    public void Sockets_of_both_protocols_are_counted() => Assert.Equal(new SocketCounts(42, 345, 17), SocketCounts.Parse(Sockets, Sockets6, Statistics));

    [Fact]
    public void A_machine_without_the_newer_protocol_has_the_others() => Assert.Equal(new SocketCounts(12, 345, 17), SocketCounts.Parse(Sockets, null, Statistics));

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("TcpExt: SyncookiesSent ListenDrops\nTcpExt: 0 19")]
    [InlineData("TcpExt: SyncookiesSent ListenOverflows")]
    [InlineData("TcpExt: SyncookiesSent ListenOverflows\nTcpExt: 0")]
    [InlineData("TcpExt: ListenOverflows\nTcpExt: many")]
    public void What_the_kernel_does_not_count_is_zero(string? statistics) => Assert.Equal(new SocketCounts(42, 345, 0), SocketCounts.Parse(Sockets, Sockets6, statistics));

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("UDP: inuse 3 mem 1")]
    public void A_machine_that_does_not_say_it_has_no_counts(string? sockets) => Assert.Null(SocketCounts.Parse(sockets, Sockets6, Statistics));
}
