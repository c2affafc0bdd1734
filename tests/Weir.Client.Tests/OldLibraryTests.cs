namespace Weir.Client.Tests;

/// <summary>A library for netstandard2.0 has clients too: the serializer reads and writes for them.</summary>
public sealed class OldLibraryTests(ClientHost host) : IClassFixture<ClientHost>
{
    [Fact]
    public async Task A_library_for_netstandard_calls_a_service() => Assert.Equal(
        "Checked, Closed|Credit|水門|2|Debit|12.50|00:00:01.5000000|2026-01-31T12:00:00.0000000+01:00|2|Credit|1000|45|Other|There is no entry 0.",
        await LedgerCaller.CallAsync(host.Http));
}
