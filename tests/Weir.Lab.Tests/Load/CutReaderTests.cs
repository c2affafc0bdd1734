using System.Globalization;
using System.Net;
using Weir.Lab.Load;

namespace Weir.Lab.Tests.Load;

public sealed class CutReaderTests
{
    private static readonly Uri Items = new("http://127.0.0.1/items");

    [Fact]
    public async Task A_reader_that_is_cut_continues_behind_the_last_item()
    {
        var server = new Server(Events(0, 1, 2), Events(2, 3) + End);
        var reader = await ReadAsync(server, item => item == "1");
        Assert.Equal([null, "job.1"], server.Asked);
        Assert.Equal((4, 0, 0, 1), (reader.Items, reader.Gaps, reader.Repeats, reader.Cuts));
    }

    [Fact]
    public async Task Items_that_are_missed_or_come_twice_are_counted()
    {
        var reader = await ReadAsync(new Server(Events(0, 1, 4, 3, 4, 5) + End), static _ => false);
        Assert.Equal((6, 2, 2, 0), (reader.Items, reader.Gaps, reader.Repeats, reader.Cuts));
    }

    [Fact]
    public async Task A_response_that_ends_without_the_end_of_the_stream_is_continued()
    {
        var server = new Server(Events(0), Events(1) + End);
        var reader = await ReadAsync(server, static _ => false);
        Assert.Equal([null, "job.0"], server.Asked);
        Assert.Equal((2, 0), (reader.Items, reader.Cuts));
    }

    [Fact]
    public async Task A_stream_that_failed_is_no_end() =>
        await Assert.ThrowsAsync<InvalidDataException>(() => ReadAsync(new Server(Events(0) + "id: $end\nevent: problem\ndata: {}\n\n"), static _ => false));

    private const string End = "id: $end\nevent: end\ndata: {\"count\":1}\n\n";

    private static string Events(params int[] indexes) =>
        string.Concat(indexes.Select(static index => string.Create(CultureInfo.InvariantCulture, $"id: job.{index}\ndata: {index}\n\n")));

    private static async Task<CutReader> ReadAsync(Server server, Func<string, bool> isEnough)
    {
        using var client = new HttpClient(server);
        var reader = new CutReader(client, static item => long.Parse(item, CultureInfo.InvariantCulture));
        while (!reader.IsComplete)
            await reader.ReadAsync(Items, isEnough, TestContext.Current.CancellationToken);
        return reader;
    }

    private sealed class Server(params string[] responses) : HttpMessageHandler
    {
        private readonly Queue<string> _responses = new(responses);

        public List<string?> Asked { get; } = [];

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            Asked.Add(request.Headers.TryGetValues("Last-Event-ID", out var last) ? last.Single() : null);
            return Task.FromResult(new HttpResponseMessage(HttpStatusCode.OK) { Content = new StringContent(_responses.Dequeue()) });
        }
    }
}
