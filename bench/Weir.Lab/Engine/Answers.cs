namespace Weir.Lab.Engine;

/// <summary>Whether contenders did the same work: what they answered is compared before anything is timed.</summary>
internal static class Answers
{
    private const int Shown = 60;

    /// <summary>The contenders whose answer is not the one most gave; in a tie the first contender is right.</summary>
    public static IEnumerable<(Contender Contender, string Reason)> Differing(IReadOnlyList<(Contender Contender, string Answer)> answers)
    {
        if (answers.Count == 0)
            return [];

        var agreed = answers.GroupBy(item => item.Answer, StringComparer.Ordinal).MaxBy(group => group.Count())!;
        return
            from item in answers
            where item.Answer != agreed.Key
            select (item.Contender, $"answered '{Short(item.Answer)}' where {agreed.First().Contender.Name} answered '{Short(agreed.Key)}'");
    }

    private static string Short(string answer) => answer.Length <= Shown ? answer : $"{answer[..Shown]}… ({answer.Length} characters)";
}
