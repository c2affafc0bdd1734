using Weir.Lab.Engine;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Floors;

/// <summary>Exchanges bytes with another process that sends one answer per question: no framing, no encoding, no task.</summary>
internal static class RoundTrips
{
    /// <summary>A buffer of a kilobyte and what stands around it.</summary>
    public const int QuestionBytes = 1024;

    /// <summary>A hash in base64.</summary>
    public const int AnswerBytes = 88;

    public static Round Measure(int count, Action<byte[]> send, Action<byte[]> receive)
    {
        var question = new byte[QuestionBytes];
        var answer = new byte[AnswerBytes];
        var histogram = new Histogram();
        var began = Clock.Now;
        for (var i = 0; i < count; i++)
        {
            var before = Clock.Now;
            send(question);
            receive(answer);
            histogram.Record(Clock.NanosecondsSince(before));
        }

        return new Round()
            .AddRate("tasks/s", count, Clock.SecondsSince(began))
            .Add("p50", histogram.Microseconds(50), "µs")
            .Add("p99", histogram.Microseconds(99), "µs");
    }
}
