using System.Globalization;
using Cronos;

namespace Weir.Generator.Parsing.Services;

/// <summary>What is wrong with a cron expression: asked of the parser that reads it where it is run.</summary>
internal static class CronRules
{
    // H is one of at most 60 values; with so many seeds those that occur are found.
    private const int Seeds = 48;
    private const string Form = "write minute, hour, day of the month, month and day of the week, such as \"0 3 * * *\"";

    private static readonly char[] Blanks = [' ', '\t'];

    // A fixed time: what a build says does not depend on when it runs.
    private static readonly DateTime Start = new(2000, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    /// <summary>Why it is none, or never occurs, and what to do; <c>null</c> for one that occurs.</summary>
    public static string? Wrong(string? cron)
    {
        if (cron is null || cron.Trim(Blanks).Length == 0)
        {
            return $"its cron expression is {(cron is null ? "null" : "empty")}; {Form}";
        }

        if (cron.Any(static one => char.IsControl(one) && one != '\t'))
        {
            return $"its cron expression has a control character, such as the end of a line; {Form}";
        }

        var fields = cron.Split(Blanks, StringSplitOptions.RemoveEmptyEntries);
        var isMacro = fields[0][0] == '@';
        if (!isMacro && fields.Length is not (5 or 6))
        {
            return $"its cron expression, '{cron}', has {fields.Length.ToString(CultureInfo.InvariantCulture)} field{(fields.Length == 1 ? "" : "s")}; {Form}, or six fields with the second first, or a macro such as \"@daily\"";
        }

        try
        {
            var seeds = !isMacro && fields.Any(static one => one[0] == 'H') ? Seeds : 1;
            return Enumerable.Range(0, seeds).Any(seed => Occurs(cron, isMacro, fields.Length, seed))
                ? null
                : $"its cron expression, '{cron}', never occurs: no month that it names has such a day; correct the day or the month";
        }
        catch (CronFormatException wrong)
        {
            return $"its cron expression, '{cron}', is none: {Reason(wrong.Message)}; {(isMacro ? "write @every_second, @every_minute, @hourly, @daily, @weekly, @monthly or @yearly" : Form)}";
        }
    }

    // A macro that is read with a seed occurs at a time of the seed instead of at the first moment of its period.
    private static bool Occurs(string cron, bool isMacro, int fields, int seed)
    {
        var format = fields == 6 ? CronFormat.IncludeSeconds : CronFormat.Standard;
        return (isMacro ? CronExpression.Parse(cron, format) : CronExpression.Parse(cron, format, seed)).GetNextOccurrence(Start, inclusive: true) is not null;
    }

    // "Minutes: Value must be …", without the sentence that all have before it.
    private static string Reason(string message)
    {
        const string Sentence = "The given cron expression has an invalid format. ";
        return (message.StartsWith(Sentence, StringComparison.Ordinal) ? message.Substring(Sentence.Length) : message).TrimEnd('.');
    }
}
