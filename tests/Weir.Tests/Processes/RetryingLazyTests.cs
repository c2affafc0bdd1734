using Weir.Execution.Threading;

namespace Weir.Tests.Processes;

public class RetryingLazyTests
{
    [Fact]
    public void A_creation_that_failed_is_retried_and_one_that_succeeded_is_not()
    {
        var tries = 0;
        var lazy = new RetryingLazy<string>(() => ++tries == 1 ? throw new IOException("no descriptor") : $"try {tries}");
        Assert.Throws<IOException>(() => lazy.Value);
        Assert.Equal("try 2", lazy.Value);
        Assert.Equal("try 2", lazy.Value);
        Assert.Equal(2, tries);
    }
}
