using System.Globalization;
using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Services;

/// <summary>Times that attributes have as text, because an attribute cannot have a <see cref="TimeSpan"/>.</summary>
internal static class WrittenTime
{
    /// <summary>The time that an attribute sets.</summary>
    /// <param name="attribute">The attribute.</param>
    /// <param name="name">Its property.</param>
    /// <param name="otherwise">The time where it is not set.</param>
    /// <param name="wrong">Why it is no time, and what to write; <c>null</c> for one.</param>
    public static TimeSpan Read(AttributeData attribute, string name, TimeSpan otherwise, out string? wrong)
    {
        const string Form = "write hours, minutes and seconds, such as \"06:00:00\", with days before a dot, such as \"1.00:00:00\"";
        wrong = null;
        if (!attribute.NamedArguments.Any(one => one.Key == name))
        {
            return otherwise;
        }

        var text = attribute.Named(name) as string;
        if (!TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out var time))
        {
            wrong = $"{name} is {(text is null ? "null" : $"'{text}'")}, which is no time; {Form}";
        }
        else if (time.Days != 0 && text!.Split(':')[0].IndexOf('.') < 0)
        {
            // "24:00:00" is 24 days to the framework, and "5" five.
            wrong = $"{name} is '{text}', which means {time.Days.ToString(CultureInfo.InvariantCulture)} days; write \"{Of(time)}\" for that, or else hours below 24; {Form}";
        }

        return time;
    }

    /// <summary>A time as an attribute has it.</summary>
    public static string Of(TimeSpan time) => time.ToString("c", CultureInfo.InvariantCulture);
}
