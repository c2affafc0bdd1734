using Microsoft.Extensions.Configuration;
using Weir.Runtime;

namespace Weir.Tests.Execution;

/// <summary>Texts and enums in a section of another package.</summary>
public sealed class OptionSectionTests
{
    private static readonly OptionSection<Sample> Section = new OptionSection<Sample>("Sample", "a sample")
        .OptionalText("Text", static (sample, value) => sample.Text = value)
        .OptionalOneOf<DayOfWeek>("Day", static (sample, value) => sample.Day = value);

    [Theory]
    [InlineData("a text", "friday", "a text", DayOfWeek.Friday)]
    [InlineData("", "", null, null)]
    [InlineData(null, null, null, null)]
    public void A_text_and_an_enum_are_read_and_nothing_is_none(string? text, string? day, string? expectedText, DayOfWeek? expectedDay)
    {
        var sample = Bind(("Text", text), ("Day", day));
        Assert.Equal((expectedText, expectedDay), (sample.Text, sample.Day));
    }

    [Fact]
    public void A_key_that_is_absent_keeps_what_was_set() => Assert.Equal(("set", DayOfWeek.Monday), Bind() is var sample ? (sample.Text, sample.Day) : default);

    [Theory]
    [InlineData("Day", "Fryday", "Weir:Sample:Day is 'Fryday'; write Sunday, Monday, Tuesday, Wednesday, Thursday, Friday or Saturday. See WEIR3002.")]
    [InlineData("Day", "5", "Weir:Sample:Day is '5'; write Sunday, Monday, Tuesday, Wednesday, Thursday, Friday or Saturday. See WEIR3002.")]
    [InlineData("Text:Part", "a", "Weir:Sample:Text is a section; write one value. See WEIR3002.")]
    public void A_value_that_is_none_of_the_enum_or_no_text_is_named(string key, string value, string message) =>
        Assert.Equal(message, Assert.Throws<InvalidOperationException>(() => Bind((key, value))).Message);

    private static Sample Bind(params (string Key, string? Value)[] values)
    {
        var sample = new Sample();
        Section.Bind(sample, new ConfigurationBuilder().AddInMemoryCollection(values.Select(static value => KeyValuePair.Create($"Weir:Sample:{value.Key}", value.Value))).Build());
        return sample;
    }

    private sealed class Sample
    {
        public string? Text { get; set; } = "set";

        public DayOfWeek? Day { get; set; } = DayOfWeek.Monday;
    }
}
