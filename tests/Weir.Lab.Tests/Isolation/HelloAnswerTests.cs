using Weir.Lab.Isolation;

namespace Weir.Lab.Tests.Isolation;

public sealed class HelloAnswerTests
{
    [Fact]
    public void The_right_answer_is_what_the_task_gives() =>
        Assert.Equal(HelloAnswer.Of(1024), new HelloTask().DoTask(TaskKind.Hash, HelloAnswer.Counting(1024)));

    [Theory]
    [InlineData(TaskKind.Nothing, null)]
    [InlineData(TaskKind.Nothing, "x")]
    [InlineData(TaskKind.Load, null)]
    [InlineData(TaskKind.Load, "")]
    public void Another_answer_is_a_task_that_was_not_done(TaskKind kind, string? answer) =>
        Assert.Throws<InvalidOperationException>(() => HelloAnswer.Checked(kind, answer));

    [Fact]
    public void A_task_that_was_done_passes()
    {
        Assert.Equal("", HelloAnswer.Checked(TaskKind.Nothing, ""));
        var hash = new HelloTask().DoTask(TaskKind.Load, 1024);
        Assert.Equal(hash, HelloAnswer.Checked(TaskKind.Load, hash));
    }
}
