using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Weir.Jobs.AspNetCore.Submitting;

namespace Weir.Jobs.Tests.Http;

/// <summary>How <c>Prefer</c> and <c>Idempotency-Key</c> are read.</summary>
public sealed class PreferenceTests
{
    [Theory]
    [InlineData(false, null)]
    [InlineData(false, null, "")]
    [InlineData(false, null, ",,;; ,")]
    [InlineData(true, null, "respond-async")]
    [InlineData(true, null, " RESPOND-async ")]
    [InlineData(true, 10, "respond-async, wait=10")]
    [InlineData(true, 10, "wait=10,respond-async")]
    [InlineData(true, 10, "wait = 10 , respond-async")]
    [InlineData(true, 10, "wait=\"10\", respond-async")]
    [InlineData(true, 10, "respond-async", "wait=10")]
    [InlineData(true, 10, "wait=10, respond-async, wait=20")]
    [InlineData(true, 20, "wait=x, respond-async, wait=20")]
    [InlineData(true, 0, "respond-async, wait=0")]
    [InlineData(true, 60, "respond-async, wait=60")]
    [InlineData(true, 60, "respond-async, wait=61")]
    [InlineData(true, 60, "respond-async, wait=99999999999999999999999999")]
    [InlineData(true, null, "respond-async, wait")]
    [InlineData(true, null, "respond-async, wait=")]
    [InlineData(true, null, "respond-async, wait=-1")]
    [InlineData(true, null, "respond-async, wait=1.5")]
    [InlineData(true, null, "respond-async, wait=+1")]
    [InlineData(true, null, "respond-async, wait=１")]
    [InlineData(true, 5, "respond-async; foo, wait=5; bar=\"a,b\"")]
    [InlineData(true, null, "foo=\"wait=5, respond-async\", respond-async")]
    [InlineData(false, null, "foo=\"wait=5, respond-async")]
    [InlineData(false, 5, "respond-asynchronous, wait=5")]
    [InlineData(false, 5, "handling=lenient, wait=5")]
    [InlineData(false, null, "foo; respond-async; wait=5")]
    public void A_preference_is_read_from_all_its_forms(bool respondsAsync, int? wait, params string[] lines)
    {
        var headers = new HeaderDictionary();
        if (lines.Length > 0)
        {
            headers["Prefer"] = lines;
        }

        Assert.Equal(new Preference(respondsAsync, wait), Preference.Of(headers));
    }

    [Fact]
    public void No_text_makes_the_reader_of_preferences_throw()
    {
        const string letters = "respond-async wait=\"\\,;09 \tx";
        var random = new Random(40);
        for (var round = 0; round < 20_000; round++)
        {
            var text = string.Create(random.Next(40), random, static (span, random) =>
            {
                foreach (ref var letter in span)
                {
                    letter = letters[random.Next(letters.Length)];
                }
            });
            var read = Preference.Of(new HeaderDictionary { ["Prefer"] = text });
            Assert.True(read.Wait is null or (>= 0 and <= Preference.MostWait), text);
        }
    }

    [Theory]
    [InlineData("a", "a")]
    [InlineData("\"a\"", "a")]
    [InlineData(" \t a \t ", "a")]
    [InlineData("~!#", "~!#")]
    [InlineData("a,b;c", "a,b;c")]
    [InlineData("\"a", null)]
    [InlineData("a\"", null)]
    [InlineData("\"", null)]
    [InlineData("\"\"", null)]
    [InlineData("", null)]
    [InlineData("a b", null)]
    [InlineData("a\\b", null)]
    [InlineData("a\"b", null)]
    [InlineData("\"a\\\"b\"", null)]
    [InlineData("ä", null)]
    [InlineData("a\u007f", null)]
    public void A_key_is_visible_ASCII_as_it_is_or_quoted(string text, string? expected)
    {
        Assert.Equal(expected is not null, IdempotencyKey.TryRead(new HeaderDictionary { [IdempotencyKey.Header] = text }, out var key));
        Assert.Equal(expected, key);
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(200, true)]
    [InlineData(201, false)]
    public void A_key_has_1_to_200_characters(int length, bool isValid)
    {
        var text = new string('k', length);
        Assert.Equal(isValid, IdempotencyKey.TryRead(new HeaderDictionary { [IdempotencyKey.Header] = text }, out _));
        Assert.Equal(isValid, IdempotencyKey.TryRead(new HeaderDictionary { [IdempotencyKey.Header] = $"\"{text}\"" }, out _));
    }

    [Fact]
    public void No_header_is_no_key_and_two_are_an_error()
    {
        Assert.True(IdempotencyKey.TryRead(new HeaderDictionary(), out var key));
        Assert.Null(key);
        Assert.False(IdempotencyKey.TryRead(new HeaderDictionary { [IdempotencyKey.Header] = new StringValues(Enumerable.Repeat("a", 2).ToArray()) }, out _));
    }
}
