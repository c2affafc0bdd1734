using System.Globalization;
using System.Text;
using Weir.Lab.Load;

namespace Weir.Lab.Tests.Load;

public sealed class HostileRequestsTests
{
    public static TheoryData<string> Kinds => [.. HostileRequests.Kinds];

    [Fact]
    public void Every_kind_has_a_name_of_its_own() => Assert.Distinct(HostileRequests.Kinds);

    [Theory]
    [MemberData(nameof(Kinds))]
    public void The_same_seed_makes_the_same_requests(string kind)
    {
        var (one, other) = (new HostileRequests(7), new HostileRequests(7));
        for (var i = 0; i < 50; i++)
            Assert.Equal(one.Next(kind).Bytes, other.Next(kind).Bytes);
    }

    // Otherwise the server would wait for the rest of it, and its silence would not be its fault.
    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_sender_that_waits_has_sent_a_whole_request(string kind)
    {
        var requests = new HostileRequests(7);
        for (var i = 0; i < 200; i++)
        {
            var request = requests.Next(kind);
            if (request.Ending != SenderEnding.Waits)
                continue;

            var head = Encoding.Latin1.GetString(request.Bytes);
            var body = head.IndexOf("\r\n\r\n", StringComparison.Ordinal) + 4;
            const string name = "Content-Length: ";
            var declared = head.IndexOf(name, StringComparison.Ordinal) is >= 0 and var at
                ? int.Parse(head[(at + name.Length)..head.IndexOf('\r', at)], CultureInfo.InvariantCulture)
                : 0;
            Assert.Equal(declared, request.Bytes.Length - body);
        }
    }
}
