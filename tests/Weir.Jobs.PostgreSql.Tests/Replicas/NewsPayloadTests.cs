using System.Text;
using Weir.Jobs.PostgreSql.Replicas;
using Weir.Jobs.PostgreSql.Writing;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Replicas;

public sealed class NewsPayloadTests
{
    private static readonly Guid Sender = Guid.Parse("6f9619ff-8b86-d011-b42d-00c04fc964ff");

    [Fact]
    public void Random_news_are_read_as_they_were_written_or_say_look()
    {
        var (whole, looks) = (0, 0);
        for (var seed = 0; seed < 2_000; seed++)
        {
            var news = Random(new Random(seed));
            var payload = NewsPayload.Encode(Sender, news);
            Assert.True(payload.Length <= 7_900 && payload.All(char.IsAscii), $"Seed {seed}");
            Assert.True(NewsPayload.IsFrom(payload, Sender));
            Assert.False(NewsPayload.IsFrom(payload, Guid.NewGuid()));
            var read = NewsPayload.Decode(payload);
            if (read.Look && !AreSame(news, read))
            {
                looks++;
                Assert.True(news.ReadyKinds.Sum(static kind => Encoding.UTF8.GetByteCount(kind) + 2) + (news.Stops.Count * 40) + (news.Watched.Count * 17) > 5_880, $"Seed {seed}");
                AssertSame(new ReplicaNews { Look = true }, read, seed);
                continue;
            }

            whole++;
            AssertSame(news, read, seed);
        }

        Assert.InRange(whole, 500, 1_900);
        Assert.InRange(looks, 100, 1_500);
    }

    [Fact]
    public void The_ends_of_a_whole_commit_fit()
    {
        var news = new ReplicaNews { Due = DateTimeOffset.MaxValue, Pauses = true, Versions = true };
        news.ReadyKinds.Add("Reports/Create");
        for (var jobs = 0; jobs < 256; jobs++)
        {
            news.Watched.Add((Guid.NewGuid(), true));
        }

        AssertSame(news, NewsPayload.Decode(NewsPayload.Encode(Sender, news)), 0);
    }

    [Fact]
    public void Nothing_at_all_is_read_as_nothing()
    {
        var read = NewsPayload.Decode(NewsPayload.Encode(Sender, new ReplicaNews()));
        Assert.True(read.IsEmpty);
    }

    [Fact]
    public void A_kind_that_UTF_8_cannot_hold_is_looked_up()
    {
        var news = new ReplicaNews();
        news.ReadyKinds.Add("Reports/\ud800");
        Assert.True(NewsPayload.Decode(NewsPayload.Encode(Sender, news)).Look);
    }

    [Fact]
    public void What_is_not_understood_says_look()
    {
        var news = new ReplicaNews { Pauses = true, Due = DateTimeOffset.UnixEpoch };
        news.ReadyKinds.Add("Reports/Create");
        news.Stops.Add((Guid.NewGuid(), new AttemptId(Guid.NewGuid(), 3)));
        news.Watched.Add((Guid.NewGuid(), false));
        var bytes = Convert.FromBase64String(NewsPayload.Encode(Sender, news)[32..]);
        var look = new ReplicaNews { Look = true };
        for (var length = 0; length < bytes.Length; length++)
        {
            AssertSame(look, NewsPayload.Decode(Sender.ToString("N") + Convert.ToBase64String(bytes, 0, length)), length);
        }

        AssertSame(look, NewsPayload.Decode(Sender.ToString("N") + Convert.ToBase64String([.. bytes, 0])), 0);
        bytes[0]++;
        AssertSame(look, NewsPayload.Decode(Sender.ToString("N") + Convert.ToBase64String(bytes)), 0);
        foreach (var text in new[] { "", "look", new string('a', 32), Sender.ToString("N") + "*", new string('a', 7_999) })
        {
            AssertSame(look, NewsPayload.Decode(text), 0);
            Assert.False(NewsPayload.IsFrom(text, Guid.Empty));
        }
    }

    [Fact]
    public void Random_bytes_are_read_without_a_failure()
    {
        var random = new Random(1);
        for (var tries = 0; tries < 20_000; tries++)
        {
            var bytes = new byte[random.Next(80)];
            random.NextBytes(bytes);
            if (bytes.Length > 0)
            {
                bytes[0] = 1;
            }

            _ = NewsPayload.Decode(Sender.ToString("N") + Convert.ToBase64String(bytes));
        }
    }

    [Fact]
    public void The_news_of_a_commit_are_all_in_it()
    {
        var commit = new CommitNews { HasPauses = true };
        var (replica, job, ended) = (Guid.NewGuid(), Guid.NewGuid(), Guid.NewGuid());
        commit.Due(2_000);
        commit.ReadyKinds.Add("a");
        commit.Stops.Add((replica, job, 5));
        commit.Changed(job, hasEnded: false);
        commit.Changed(ended, hasEnded: true);
        var expected = new ReplicaNews { Pauses = true, Due = new DateTimeOffset(2_000, TimeSpan.Zero), ReadyKinds = { "a" }, Stops = { (replica, new AttemptId(job, 5)) }, Watched = { (job, false), (ended, true) } };
        AssertSame(expected, ReplicaNews.Of(commit), 0);
        AssertSame(new ReplicaNews(), ReplicaNews.Of(new CommitNews()), 0);
    }

    private static ReplicaNews Random(Random random)
    {
        var news = new ReplicaNews { Pauses = random.Next(2) == 0, Versions = random.Next(2) == 0, Look = random.Next(20) == 0, Due = random.Next(2) == 0 ? null : new DateTimeOffset(random.NextInt64(DateTime.MaxValue.Ticks), TimeSpan.Zero) };
        var most = random.Next(3) switch { 0 => 4, 1 => 60, _ => 400 };
        for (var kinds = random.Next(most); kinds > 0; kinds--)
        {
            news.ReadyKinds.Add(new string([.. Enumerable.Range(0, random.Next(40)).Select(_ => random.Next(8) == 0 ? (char)random.Next(1, 0xD800) : (char)random.Next('0', 'z'))]));
        }

        for (var stops = random.Next(most); stops > 0; stops--)
        {
            news.Stops.Add((Guid.NewGuid(), new AttemptId(Guid.NewGuid(), random.NextInt64())));
        }

        for (var jobs = random.Next(most); jobs > 0; jobs--)
        {
            news.Watched.Add((Guid.NewGuid(), random.Next(2) == 0));
        }

        return news;
    }

    private static void AssertSame(ReplicaNews expected, ReplicaNews actual, int seed) => Assert.True(AreSame(expected, actual), $"Seed {seed}");

    private static bool AreSame(ReplicaNews one, ReplicaNews other) =>
        (one.Pauses, one.Versions, one.Look, one.Due) == (other.Pauses, other.Versions, other.Look, other.Due)
        && one.ReadyKinds.SetEquals(other.ReadyKinds) && one.Stops.SequenceEqual(other.Stops) && one.Watched.SequenceEqual(other.Watched);
}
