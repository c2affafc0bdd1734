using System.Globalization;

namespace Weir.Execution.Configuration;

/// <summary>Processor numbers as text, as the kernel writes them: <c>0-3,6</c>.</summary>
internal static class ProcessorList
{
    /// <summary>One more than the largest number: the most that Linux can be built for.</summary>
    public const int Most = 8192;

    public static string Format(IEnumerable<int> numbers)
    {
        var ranges = new List<(int First, int Last)>();
        foreach (var number in numbers.Distinct().Order())
        {
            if (ranges.Count > 0 && ranges[^1].Last == number - 1)
            {
                ranges[^1] = (ranges[^1].First, number);
            }
            else
            {
                ranges.Add((number, number));
            }
        }

        return string.Join(',', ranges.Select(static range => range.First == range.Last ? $"{range.First}" : $"{range.First}-{range.Last}"));
    }

    /// <returns><c>null</c> when the text is not such a list.</returns>
    public static List<int>? Parse(string text)
    {
        var numbers = new List<int>();
        foreach (var part in text.Split(',', StringSplitOptions.TrimEntries))
        {
            var ends = part.Split('-');
            if (ends.Length > 2 || !IsNumber(ends[0], out var first) || !IsNumber(ends[^1], out var last) || first > last)
            {
                return null;
            }

            numbers.AddRange(Enumerable.Range(first, last - first + 1));
        }

        return numbers;

        static bool IsNumber(string text, out int number) =>
            int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number < Most;
    }
}
