using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Json;

/// <summary>One truth about enums, in query and JSON alike.</summary>
public sealed class EnumTests
{
    private static readonly Served Served = Served.From(
        """
        using System.Runtime.Serialization;
        using System.Text.Json.Serialization;
        using Weir;
        namespace Sample;

        public enum Plain { A = 0, B = 1, C = 2, D = 300 }
        [Flags] public enum Bits { A = 0, B = 1, C = 2, D = 4, E = 16 }
        public enum Alias { First = 1, Second = 1, Other = 2 }
        [JsonConverter(typeof(JsonStringEnumConverter))]
        public enum Renamed { [JsonStringEnumMemberName("red-ish")] Red, [EnumMember(Value = "grün")] Green, @class }
        public enum Cases { a = 1, A = 2 }
        public enum Tiny : sbyte { Low = -128, High = 127 }
        public enum Huge : ulong { None = 0, Top = ulong.MaxValue }
        [Flags] public enum Wide : ulong { One = 1, Top = 1UL << 63, All = ulong.MaxValue }
        [Flags] public enum Pairs { AB = 3, C = 4, Every = 7 }
        [Flags] public enum Signed { One = 1, All = ~0 }
        public enum Empty { }

        [Service] public sealed class Echo
        {
            public Plain Plain(Plain e) => e;
            public Bits Bits(Bits e) => e;
            public Alias Alias(Alias e) => e;
            public Renamed Renamed(Renamed e) => e;
            public Cases Cases(Cases e) => e;
            public Tiny Tiny(Tiny e) => e;
            public Huge Huge(Huge e) => e;
            public Wide Wide(Wide e) => e;
            public Pairs Pairs(Pairs e) => e;
            public Signed Signed(Signed e) => e;
            public Empty Empty(Empty e) => e;
            public Plain Undeclared() => (Plain)7;
            public Bits[] Many(Bits[] e) => e;
        }
        """);

    [Fact]
    public async Task All_flags_of_an_enum_with_many_long_names_are_read_as_they_are_written()
    {
        var names = Enumerable.Range(10, 63).Select(static index => $"PermissionToDoTheThingOfNumber{index}").ToList();
        var served = Served.From($$"""
            [Flags] public enum Permissions : ulong { {{string.Join(", ", names.Select(static (name, index) => $"{name} = {1UL << index}UL"))}} }
            public enum Twins { First = 1, [System.Text.Json.Serialization.JsonStringEnumMemberName("First")] Same = 1 }
            [Weir.Service] public sealed class Echo { public Permissions Back(Permissions e) => e; public Twins Twins(Twins e) => e; }
            """);

        var all = $"\"{string.Join(',', names)}\"";
        var escaped = $"\"{string.Concat(string.Join(',', names).Select(static one => $"\\u{(int)one:x4}"))}\"";
        Assert.Equal(all.Length, (await served.Respond("Echo/Back", $"{{\"e\":{all}}}")).Length);
        Assert.Equal(all.Length, (await served.Respond("Echo/Back", $"{{\"e\":{escaped}}}")).Length);
        Assert.Equal("\"First\"", await served.Respond("Echo/Twins", """{"e":"First"}"""));
        Assert.Equal(["e: invalid"], served.Json("Echo/Back", $"{{\"e\":\"{new string('x', 70_000)}\"}}").Reasons);
    }

    [Theory]
    [InlineData("Plain", "B", "\"B\"")] // M1 1
    [InlineData("Plain", "b", "\"B\"")] // M1 3
    [InlineData("Plain", "2", "\"C\"")] // M1 6
    [InlineData("Plain", "300", "\"D\"")]
    [InlineData("Bits", "B", "\"B\"")] // M2 1
    [InlineData("Bits", "b", "\"B\"")] // M2 3
    [InlineData("Bits", "2", "\"C\"")] // M2 5
    [InlineData("Bits", "3", "\"B,C\"")] // M2 6
    [InlineData("Bits", "20", "\"D,E\"")] // M2 7
    [InlineData("Bits", "B,C", "\"B,C\"")]
    [InlineData("Bits", "c, b , C", "\"B,C\"")]
    [InlineData("Bits", "0", "\"A\"")]
    [InlineData("Alias", "second", "\"First\"")]
    [InlineData("Alias", "1", "\"First\"")]
    [InlineData("Renamed", "RED-ISH", "\"red-ish\"")]
    [InlineData("Renamed", "GRÜN", "\"grün\"")]
    [InlineData("Renamed", "class", "\"class\"")]
    [InlineData("Cases", "a", "\"a\"")]
    [InlineData("Cases", "A", "\"A\"")]
    [InlineData("Tiny", "-128", "\"Low\"")]
    [InlineData("Huge", "18446744073709551615", "\"Top\"")]
    [InlineData("Wide", "9223372036854775809", "\"One,Top\"")]
    [InlineData("Wide", "18446744073709551615", "\"All\"")]
    [InlineData("Pairs", "AB", "\"AB\"")]
    [InlineData("Pairs", "7", "\"Every\"")]
    public async Task Declared_names_and_numbers_are_values(string operation, string text, string written)
    {
        Assert.Equal(written, Served.Result(await Served.Run(Served.Query($"Echo/{operation}", ("e", text)).Good())));
        var isNumber = char.IsAsciiDigit(text[^1]);
        Assert.Equal(written, await Served.Respond($"Echo/{operation}", $$"""{"e":{{(isNumber ? text : $"\"{text}\"")}}}"""));
        Assert.Equal(written, await Served.Respond($"Echo/{operation}", $$"""{"e":{{written}}}"""));
    }

    [Theory]
    [InlineData("Plain", "bb")] // M1 4
    [InlineData("Plain", "3")] // M1 5
    [InlineData("Plain", "")] // M1 8
    [InlineData("Plain", "34hoge")] // M1 9
    [InlineData("Plain", "100")] // M1 15
    [InlineData("Plain", "B,C")]
    [InlineData("Plain", " B")]
    [InlineData("Plain", "+2")]
    [InlineData("Plain", "2.0")]
    [InlineData("Plain", "4294967298")]
    [InlineData("Bits", "10")] // M2 4
    [InlineData("Bits", "100")] // M2 15
    [InlineData("Bits", "B,")]
    [InlineData("Bits", "B,X")]
    [InlineData("Bits", "B,2")]
    [InlineData("Bits", "-1")]
    [InlineData("Signed", "4294967296")]
    [InlineData("Signed", "99999999999")]
    [InlineData("Bits", " B")]
    [InlineData("Bits", "B,C ")]
    [InlineData("Bits", " ")]
    [InlineData("Plain", "B ")]
    [InlineData("Renamed", "Red")]
    [InlineData("Huge", "-1")]
    [InlineData("Pairs", "8")]
    [InlineData("Empty", "0")]
    public void Nothing_else_is_a_value(string operation, string text)
    {
        Assert.Equal(["e: invalid"], Served.Query($"Echo/{operation}", ("e", text)).Reasons);
        Assert.Equal(["e: invalid"], Served.Json($"Echo/{operation}", $$"""{"e":"{{text}}"}""").Reasons);
    }

    [Fact]
    public void Null_is_no_value() => // M1 7
        Assert.Equal(["e: null"], Served.Json("Echo/Plain", """{"e":null}""").Reasons);

    [Fact]
    public async Task An_undeclared_value_is_written_as_its_number() =>
        Assert.Equal("7", await Served.Respond("Echo/Undeclared", "{}"));

    [Fact]
    public void A_bad_element_is_named_by_its_index() =>
        Assert.Equal(["e[1]: invalid"], Served.Query("Echo/Many", ("e", "B"), ("e", "10"), ("e", "3")).Reasons);
}
